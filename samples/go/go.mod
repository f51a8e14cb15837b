module gpufilter

go 1.19
