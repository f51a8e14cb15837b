#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks the bill of materials: the members that SPDX 2.3 requires and the form of their values, that every identifier
has an entry, and that for each program it has what the program itself says: exactly the libraries that it needs, and
exactly those whose names it has to open them. usage: check_sbom.py READELF SBOM VERSION PACKAGE=FILE..."""
import json
import re
import subprocess
import sys

LICENCES = {"MIT", "Unlicense", "BSD-2-Clause", "BSD-3-Clause", "IJG", "Zlib", "libtiff", "Apache-2.0", "LGPL-2.1-or-later",
            "LGPL-3.0-or-later", "GPL-3.0-or-later"}
EXCEPTIONS = {"GCC-exception-3.1", "LLVM-exception"}
SONAME = re.compile(rb"lib[a-z0-9_+-]+\.so\.\d+")


def check_licence(text, own):
    """Whether an expression is NOASSERTION, or made of licences that SPDX or the document itself knows."""
    words = text.split()
    return text == "NOASSERTION" or (len(words) % 2 == 1 and all(
        word in ("AND", "OR", "WITH") if i % 2 else
        word in (EXCEPTIONS if i and words[i - 1] == "WITH" else LICENCES | own) for i, word in enumerate(words)))


def check_package(entry, own):
    """What is wrong with an entry, as sentences."""
    rules = (("name", r".+"), ("SPDXID", r"SPDXRef-[A-Za-z0-9.-]+"), ("downloadLocation", r"NOASSERTION|NONE|\w+://.+"),
             ("copyrightText", r".+"), ("supplier", r"NOASSERTION|(Organization|Person): .+"))
    bad = ["%s: %s is %r" % (entry.get("SPDXID"), member, entry.get(member)) for member, form in rules
           if not re.fullmatch(form, str(entry.get(member, "")))]
    bad += ["%s: %s is %r" % (entry["SPDXID"], member, entry.get(member))
            for member in ("licenseDeclared", "licenseConcluded") if not check_licence(entry.get(member, ""), own)]
    if entry.get("filesAnalyzed") is not False:
        bad.append("%s: it lists no files, so filesAnalyzed must be false" % entry["SPDXID"])
    for reference in entry.get("externalRefs", []):
        if reference["referenceCategory"] != "PACKAGE-MANAGER" or reference["referenceType"] != "purl" or \
                not re.fullmatch(r"pkg:deb/\w+/[a-z0-9.+-]+@[A-Za-z0-9.~%-]+\?arch=\w+", reference["referenceLocator"]):
            bad.append("%s: %s" % (entry["SPDXID"], reference))
    return bad


def check_form(document, version):
    rules = (("spdxVersion", r"SPDX-2\.3"), ("dataLicense", r"CC0-1\.0"), ("SPDXID", r"SPDXRef-DOCUMENT"),
             ("name", re.escape("gpufilterd-" + version)),
             ("documentNamespace", r"https://spdx\.org/spdxdocs/gpufilterd-[^#]+-[0-9a-f-]{36}"))
    bad = ["%s is %r" % (member, document.get(member)) for member, form in rules
           if not re.fullmatch(form, document.get(member, ""))]
    made = document["creationInfo"]
    if not re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", made["created"]) or not made["creators"] or not all(
            re.fullmatch(r"(Tool|Organization|Person): .+", who) for who in made["creators"]):
        bad.append("creationInfo is %r" % made)
    own = {licence["licenseId"] for licence in document.get("hasExtractedLicensingInfos", []) if licence["extractedText"]}
    for entry in document["packages"]:
        bad += check_package(entry, own)
    names = [entry["SPDXID"] for entry in document["packages"]]
    if len(set(names)) != len(names):
        bad.append("an identifier has two entries")
    described = set()
    for relation in document["relationships"]:
        ends = (relation["spdxElementId"], relation["relatedSpdxElement"])
        described |= set(ends)
        if relation["relationshipType"] not in ("DESCRIBES", "DYNAMIC_LINK", "STATIC_LINK", "OPTIONAL_DEPENDENCY_OF") or \
                not set(ends) <= {*names, "SPDXRef-DOCUMENT"}:
            bad.append("%r" % relation)
    bad += ["nothing refers to " + name for name in names if name not in described]
    return bad


def related(document, package, kind, part_first):
    """The file names of what a package is related to."""
    files = {entry["SPDXID"]: entry.get("packageFileName", "") for entry in document["packages"]}
    ends = ("relatedSpdxElement", "spdxElementId") if part_first else ("spdxElementId", "relatedSpdxElement")
    return {files[relation[ends[1]]] for relation in document["relationships"]
            if relation["relationshipType"] == kind and relation[ends[0]] == "SPDXRef-Package-" + package}


def main():
    readelf, path, version, *programs = sys.argv[1:]
    with open(path, encoding="utf-8") as f:
        document = json.load(f)
    bad = check_form(document, version)
    linked, opened = {}, {}
    for package, file in (program.split("=", 1) for program in filter(None, programs)):
        shown = subprocess.run([readelf, "-d", file], check=True, capture_output=True, text=True).stdout
        needs = set(re.findall(r"\(NEEDED\).*\[(.*)\]", shown))
        with open(file, "rb") as f:
            named = {name.decode() for name in SONAME.findall(f.read())} - set(re.findall(r"\(SONAME\).*\[(.*)\]", shown))
        linked.setdefault(package, set()).update(needs)
        opened.setdefault(package, set()).update(named - needs)
    for package, needs in linked.items():
        for want, has, what in ((needs, related(document, package, "DYNAMIC_LINK", False), "is linked against"),
                                (opened[package], related(document, package, "OPTIONAL_DEPENDENCY_OF", True), "opens")):
            if want != has:
                bad.append("%s %s %s, and the document says %s" % (package, what, sorted(want), sorted(has)))
    print("\n".join(bad) or "%d entries" % len(document["packages"]))
    return bool(bad)


if __name__ == "__main__":
    sys.exit(main())
