#!/bin/bash
# SPDX-License-Identifier: MIT
# Filters the pictures of a list by a Slurm job array. Task K of N takes files K, K+N, K+2N, ... of the list:
#
#   find /data -name '*.tif' -print0 >list
#   sbatch --array=1-8 slurm-array.sh list /results 8
#
# N is a word of its own, so that some tasks can be submitted again: sbatch --array=3,7 slurm-array.sh list /results 8.
# List, pictures and results are on a file system that all nodes have. A task runs again elsewhere when its node dies
# (--requeue), and requeues itself when the command's exit status says that a retry may help (69 or 75);
# --skip-existing resumes where it was stopped. Any other status ends the task: its output names the files that failed.
#SBATCH --job-name=gpufilter
#SBATCH --output=gpufilter-%A_%a.log
#SBATCH --open-mode=append
#SBATCH --requeue
#SBATCH --cpus-per-task=2
set -u
usage="usage: sbatch --array=1-PARTS slurm-array.sh LIST OUT PARTS"
list=${1:?$usage} out=${2:?$usage} parts=${3:?$usage}
retries=5 # requeues by this script; Slurm counts requeues after a node failure, too

# The tasks of a node share its gpufilterd.service. Where Slurm gives each task a GPU of its own (#SBATCH --gres=gpu:1),
# or there is no service, each task has a private daemon, which ends with it:
#   XDG_RUNTIME_DIR=$(mktemp -d) && export XDG_RUNTIME_DIR GPUFILTER_PRIVATE=1

gpufilter-client gaussian --sigma 2 --files-from "$list" --shard "$SLURM_ARRAY_TASK_ID/$parts" \
  --skip-existing --keep-going --parents -j "${SLURM_CPUS_PER_TASK:-1}" -o "$out/{stem}.png"
status=$?

if [ $status -eq 69 ] || [ $status -eq 75 ]; then
  if [ "${SLURM_RESTART_COUNT:-0}" -lt $retries ]; then
    echo "exit status $status on $SLURMD_NODENAME: try again"
    scontrol requeue "$SLURM_JOB_ID" && sleep 60 # Slurm ends this script
  fi
fi
exit $status
