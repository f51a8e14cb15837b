#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Prints the software bill of materials of the packages as an SPDX 2.3 document: each package, the libraries that its
programs are linked against (read from the programs), those that they open at run time, and code of others that is
compiled in. Versions are those of the machine that builds: of the Debian package that owns the file, or as given.
VERSION and FILE may be "-". The same build prints the same bytes. Called by cmake/GfSbom.cmake.
usage: sbom.py --version V --time SECONDS --readelf PROGRAM --compiler CC --licence FILE --package NAME...
               [--links PACKAGE FILE] [--opens PACKAGE SONAME VERSION] [--contains PACKAGE NAME FILE VERSION]..."""
import argparse
import datetime
import hashlib
import json
import os
import platform
import re
import subprocess
import sys
import uuid

NONE = "NOASSERTION"
CUDA = "LicenseRef-NVIDIA-CUDA"
# By the name of a library, without "lib" and what follows: its project, and the licence that the project declares.
KNOWN = {
    "c": ("glibc", "LGPL-2.1-or-later"), "m": ("glibc", "LGPL-2.1-or-later"), "ld-linux": ("glibc", "LGPL-2.1-or-later"),
    "gcc_s": ("gcc", "GPL-3.0-or-later WITH GCC-exception-3.1"),
    "stdc++": ("gcc", "GPL-3.0-or-later WITH GCC-exception-3.1"),
    "uv": ("libuv", "MIT"), "microhttpd": ("libmicrohttpd", "LGPL-2.1-or-later"), "inih": ("inih", "BSD-3-Clause"), "spng": ("libspng", "BSD-2-Clause"),
    "isal": ("isa-l", "BSD-3-Clause"), "jpeg": ("libjpeg-turbo", "IJG AND BSD-3-Clause AND Zlib"),
    "stb": ("stb", "MIT OR Unlicense"), "tiff": ("libtiff", "libtiff"), "webp": ("libwebp", "BSD-3-Clause"),
    "webpdemux": ("libwebp", "BSD-3-Clause"), "webpmux": ("libwebp", "BSD-3-Clause"),
    "heif": ("libheif", "LGPL-3.0-or-later"), "gif": ("giflib", "MIT"), "lcms2": ("lcms2", "MIT"),
    "cccl": ("CCCL", "Apache-2.0 WITH LLVM-exception AND BSD-3-Clause"), "cudart_static": ("cudart", CUDA),
    "cuda": ("NVIDIA driver", NONE), "nvrtc": ("NVRTC", CUDA),
}


def run(*words):
    """What a program prints; "" where it fails or is missing."""
    try:
        return subprocess.run(words, capture_output=True, text=True, check=False, env=dict(os.environ, LC_ALL="C")).stdout
    except OSError:
        return ""


def needed(readelf, path):
    return re.findall(r"\(NEEDED\).*\[(.*)\]", run(readelf, "-d", path))


def owners(paths):
    """{path: (Debian package, version, architecture)} of those files that a package owns."""
    names = {alias: path for path in paths for alias in (path, re.sub(r"^/usr(?=/lib)", "", path))}
    packages = {}
    for line in run("dpkg-query", "-S", *names).splitlines():
        package, _, file = line.rpartition(": ")
        if file in names:
            packages[names[file]] = package.split(", ")[0]
    shown = run("dpkg-query", "-W", "-f", "${binary:Package} ${Version} ${Architecture}\n", *set(packages.values()))
    versions = {line.split()[0]: line.split() for line in shown.splitlines() if len(line.split()) == 3}
    return {path: (package.split(":")[0], *versions[package][1:]) for path, package in packages.items()
            if package in versions}


def identifier(*words):
    return "SPDXRef-" + re.sub(r"[^A-Za-z0-9.]+", "-", "-".join(words))


def stem(name):
    return re.sub(r"^lib|(-x86-64|-aarch64)?(\.so.*|\.a)$", "", name)


class Document:
    def __init__(self, o):
        self.o, self.packages, self.relations = o, {}, []
        with open(o.licence, encoding="utf-8") as f:
            rights = re.search(r"^Copyright.*", f.read(), re.M).group(0)
        for name in o.package:
            self.packages[name] = {
                "name": name, "SPDXID": identifier("Package", name), "versionInfo": o.version,
                "supplier": "Organization: the gpufilterd authors", "downloadLocation": NONE, "filesAnalyzed": False,
                "licenseConcluded": "MIT", "licenseDeclared": "MIT", "copyrightText": rights}
            self.relate("SPDXRef-DOCUMENT", "DESCRIBES", identifier("Package", name))

    def relate(self, one, kind, other):
        relation = {"spdxElementId": one, "relationshipType": kind, "relatedSpdxElement": other}
        if relation not in self.relations:
            self.relations.append(relation)

    def part(self, name, path, version, owned):
        """The entry of a library, or of code that is compiled in."""
        project, licence = KNOWN.get(stem(name), (stem(name), NONE))
        entry = {"name": project, "SPDXID": identifier("Part", name), "packageFileName": name, "supplier": NONE,
                 "downloadLocation": NONE, "filesAnalyzed": False, "licenseConcluded": NONE,
                 "licenseDeclared": licence, "copyrightText": NONE}
        if path in owned:
            package, version, architecture = owned[path]
            distribution = platform.freedesktop_os_release()["ID"]
            entry["externalRefs"] = [{
                "referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl",
                "referenceLocator": f"pkg:deb/{distribution}/{package}@{version.replace('+', '%2B').replace(':', '%3A')}"
                                    f"?arch={architecture}"}]
        if version != "-":
            entry["versionInfo"] = version
        self.packages[name] = entry
        return entry["SPDXID"]

    def fill(self):
        o, found = self.o, {}
        parts = [(package, "DYNAMIC_LINK", name, "-", "-") for package, file in o.links for name in needed(o.readelf, file)]
        parts += [(package, "OPENS", name, "-", version) for package, name, version in o.opens]
        parts += [(package, "STATIC_LINK", name, file, version) for package, name, file, version in o.contains]
        for _, _, name, file, _ in parts:
            found[name] = os.path.realpath(file if file != "-" else run(o.compiler, "-print-file-name=" + name).strip())
        owned = owners(sorted(set(found.values())))
        for package, kind, name, _, version in sorted(parts):
            part, ours = self.part(name, found[name], version, owned), identifier("Package", package)
            if kind == "OPENS":
                self.relate(part, "OPTIONAL_DEPENDENCY_OF", ours)
            else:
                self.relate(ours, kind, part)

    def text(self):
        made = datetime.datetime.fromtimestamp(self.o.time, datetime.timezone.utc)
        entries = list(self.packages.values())
        document = {
            "spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT",
            "name": "gpufilterd-" + self.o.version, "documentNamespace": "",
            "creationInfo": {"created": made.strftime("%Y-%m-%dT%H:%M:%SZ"),
                             "creators": ["Organization: the gpufilterd authors", "Tool: cmake/sbom.py-" + self.o.version]},
            "packages": entries, "relationships": self.relations}
        if any(CUDA in entry["licenseDeclared"] for entry in entries):
            document["hasExtractedLicensingInfos"] = [{
                "licenseId": CUDA, "name": "NVIDIA CUDA Toolkit End User License Agreement",
                "extractedText": "The licence of the CUDA Toolkit: https://docs.nvidia.com/cuda/eula/"}]
        digest = hashlib.sha256(json.dumps(document, sort_keys=True).encode()).hexdigest()
        document["documentNamespace"] = ("https://spdx.org/spdxdocs/" + document["name"] + "-" +
                                         str(uuid.uuid5(uuid.NAMESPACE_URL, digest)))
        return json.dumps(document, indent=1) + "\n"


def main():
    parser = argparse.ArgumentParser(usage=__doc__[__doc__.index("usage:") + 7:])
    for name in ("version", "readelf", "compiler", "licence"):
        parser.add_argument("--" + name, required=True)
    parser.add_argument("--time", type=int, default=0)
    parser.add_argument("--package", nargs="+")
    for name, n in (("links", 2), ("opens", 3), ("contains", 4)):
        parser.add_argument("--" + name, nargs=n, action="append", default=[])
    options = parser.parse_args()
    options.time = int(os.environ.get("SOURCE_DATE_EPOCH", options.time))
    document = Document(options)
    document.fill()
    sys.stdout.write(document.text())


if __name__ == "__main__":
    main()
