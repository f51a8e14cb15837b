#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Renames identifiers, files and words by a table, token by token; run once in a clean checkout.

usage: rename.py [--check] [--names FILE] [--files FILE] [TABLE]
--check changes nothing; --names and --files write what was renamed as CSV (old,new) for the comparison of two builds.

TABLE is tab-separated: kind, old, new, scope, why. Lines that begin with # are comments. Kinds:
  dir     a folder, as in tests/gold
  file    a stem (all files of it: foo.c, foo.h), or one file with its ending; the includes, lists, rules and documents
          that name it follow, and so does its include guard
  prefix  the beginning of identifiers
  name    an identifier
  member  an identifier behind . or ->, or behind what old says, as in call->rows; to itself: stays beside a name row
  target  a name in CMake lists, scripts and documents
  word    a word, or several, of comments and documents; the plural and a/an follow
  keep    stays as it is, and why
A scope limits a row; without one it holds for all C and CUDA files. It has entries apart by blanks: `file.c`,
`component/file.c` and globs of them; `entry:function` for one function or `struct x` (x) of it; `@name` for all files
that use the identifier; `-entry` leaves out. Components are the folders of COMPONENTS, so a scope holds wherever in them a
file lies.

String literals are never changed. Refused: a dirty tree, an old name that occurs nowhere in its scope, a new one that is
there already, two that would become one, names of the public headers."""
import argparse
import collections
import csv
import fnmatch
import os
import re
import shutil
import subprocess
import sys

COMPONENTS = ("protocol", "kernels", "kernels/cpu", "kernels/cuda", "server", "server/front", "server/worker",
              "server/sandbox", "client", "client/cli", "client/include", "samples", "bench", "docs", "scripts", "systemd",
              "tests", "tests/attack", "tests/cli", "tests/conformance", "tests/daemon", "tests/faults", "tests/fuzz",
              "tests/gold", "tests/interop", "tests/lint", "tests/package", "tests/peers", "tests/property",
              "tests/support", "tests/unit")
# Generated, public or history: never touched.
LEAVE = ("scripts/house/", "client/include/", "client/cli/completions/", "docs/operations.md", "docs/man/gpufilter-client.1",
         "tests/fuzz/corpus/", "tests/fuzz/gpufilter.dict", "tests/attack/frames/", "NEWS.md", "docs/images/", "LICENSE")
CODE = re.compile(r"\.(c|h|cu|cuh|def)$")
TOKEN = re.compile(r"""/\*.*?\*/|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|[A-Za-z_]\w*|\.?\d(?:[\w.]|(?<=[eEpP])[+-])*|\s+|.""",
                   re.S)
NAME = re.compile(r"[A-Za-z_]\w*")
INCLUDE = re.compile(r'^(\s*#\s*include\s*")([^"\n]+)(")', re.M)
PATH = re.compile(r"(?<![\w.*-])((?:[\w.${}*-]+/)*)([\w-]+)\.(c|h|cu|cuh|py|cmake)(?![\w])")
# A name in a comment that is sure to be one: with an underscore or a digit inside, a macro, or in backquotes.
SURE = re.compile(r"\w*_\w*|[A-Z][A-Z0-9]{2,}")

Row = collections.namedtuple("Row", "kind old new scope line")


def fail(message):
    sys.exit("rename: " + message)


def git(*args):
    done = subprocess.run(["git", *args], stdout=subprocess.PIPE, text=True, check=True)
    return [line for line in done.stdout.split("\n") if line]


def read_table(path):
    rows = []
    with open(path, newline="", encoding="utf-8") as f:
        for number, line in enumerate(f, 1):
            cells = line.rstrip("\n").split("\t")
            if not line.strip() or line.startswith("#") or cells[0] == "keep":
                continue
            cells += [""] * (5 - len(cells))
            if cells[0] not in ("dir", "file", "prefix", "name", "member", "target", "word") or not cells[1] or not cells[2]:
                fail("%s:%d: not a row: %s" % (path, number, line.strip()))
            rows.append(Row(cells[0], cells[1], cells[2], cells[3].split(), number))
    return rows


def component(path):
    folder = os.path.dirname(path)
    while folder and folder not in COMPONENTS:
        folder = os.path.dirname(folder)
    return folder


def key_of(path):
    return component(path) + "/" + os.path.basename(path)


class Source:
    """A C or CUDA file as tokens, and where its functions and structs are."""

    def __init__(self, path, text):
        self.path, self.text = path, text
        self.tokens = [(m.start(), m.group(0)) for m in TOKEN.finditer(text)]
        self.names = collections.Counter(t for _, t in self.tokens if NAME.match(t))
        self.members = {t for at, t in self.tokens if NAME.match(t) and self.is_member(at)}

    def is_member(self, at):
        return self.text[at - 1 : at] == "." and self.text[at - 2 : at] != ".." or self.text[at - 2 : at] == "->"

    def is_behind(self, what, at):
        start = at - len(what)
        return self.text[start:at] == what and not (what and re.match(r"\w\w", self.text[start - 1 : start + 1]))

    def regions(self, what):
        """The spans of a function, struct or macro with the comment before it."""
        found = []
        # a definition at column 0: up to its closing brace there
        for m in re.finditer(r"^(?:template <.*>\s*\n)?(?![ \t#}/*]).*?\b%s\b" % re.escape(what), self.text, re.M):
            start, end = m.start(), None
            rest = self.text[start:]
            stop = re.search(r"^}", rest, re.M)
            semicolon = re.search(r";[^\n]*$", rest, re.M)
            brace = re.search(r"^{|{$", rest, re.M)
            if stop and brace and (not semicolon or brace.start() < semicolon.start()):
                end = start + stop.end()
            else:
                end = start + semicolon.end() if semicolon else None # a declaration
            if end is None:
                continue
            before = re.search(r"/\*(?:(?!\*/).)*\*/\s*\n(?:template <[^\n]*\n)?\Z", self.text[:start], re.S)
            found.append((before.start() if before and before.end() == start else start, end))
        for m in re.finditer(r"^#define %s\b(?:[^\n]*\\\n)*[^\n]*" % re.escape(what), self.text, re.M):
            found.append((m.start(), m.end()))
        return found

    def inside(self, spans):
        return collections.Counter(t for at, t in self.tokens
                                   if NAME.match(t) and any(a <= at < b for a, b in spans))


def in_scope(row, sources, errors):
    """{path: None (all of the file) or spans} of a row."""
    if not row.scope:
        return {path: None for path in sources}
    out = {}
    for entry in row.scope:
        away, entry = entry.startswith("-"), entry.lstrip("-")
        if entry.startswith("@"):
            paths, what = [p for p, s in sources.items() if entry[1:] in s.names], ""
        else:
            pattern, _, what = entry.partition(":")
            paths = [p for p in sources if fnmatch.fnmatch(key_of(p) if "/" in pattern else os.path.basename(p), pattern)]
        if not paths:
            errors.append("line %d: nothing is in the scope %s" % (row.line, entry))
        for path in paths:
            if away:
                out.pop(path, None)
            elif what:
                spans = sources[path].regions(what)
                if not spans:
                    errors.append("line %d: %s has no %s" % (row.line, path, what))
                if out.get(path, []) is not None:
                    out[path] = out.get(path, []) + spans
            else:
                out[path] = None
    return out


class Renamer:
    def __init__(self, rows):
        self.rows = rows
        self.files = git("ls-files")
        self.sources, self.others = {}, {}
        for path in self.files:
            if path.startswith(LEAVE) or os.path.islink(path):
                continue
            try:
                with open(path, encoding="utf-8") as f:
                    text = f.read()
            except UnicodeDecodeError:
                continue
            if CODE.search(path):
                self.sources[path] = Source(path, text)
            else:
                self.others[path] = text
        self.public = set()
        for path in self.files:
            if path.startswith("client/include/"):
                with open(path, encoding="utf-8") as f:
                    self.public |= set(Source(path, f.read()).names)
        self.errors = []
        self.plan_files()
        self.plan_names()
        if self.errors:
            fail("refused:\n  " + "\n  ".join(self.errors))

    # Files

    def plan_files(self):
        self.moves, self.stems, self.dirs = {}, {}, []
        taken = set(self.files)
        for row in self.rows:
            if row.kind == "dir":
                self.dirs.append((row.old, row.new))
                if not any(p.startswith(row.old + "/") for p in self.files):
                    self.errors.append("line %d: no folder %s" % (row.line, row.old))
            if row.kind != "file":
                continue
            hit = False
            old_component, _, old = row.old.rpartition("/")
            for path in self.files:
                if path.startswith(LEAVE):
                    continue
                stem, ending = os.path.splitext(os.path.basename(path))
                if old not in (stem, stem + ending) or (old_component and component(path) != old_component):
                    continue
                if old == stem and ending not in (".c", ".h", ".cu", ".cuh", ".py"):
                    continue
                hit = True
                new_stem = row.new if old == stem else os.path.splitext(row.new)[0]
                self.moves[path] = os.path.join(os.path.dirname(path), new_stem + ending)
                if "_" in stem and "_" in new_stem or stem.startswith("test_"):
                    self.stems[stem] = new_stem
            if not hit:
                self.errors.append("line %d: no file %s" % (row.line, row.old))
        for old, new in self.dirs:
            for path in self.files:
                if path.startswith(old + "/"):
                    self.moves[path] = new + self.moves.get(path, path)[len(old):]
        for path, new in self.moves.items():
            if new in taken and new not in self.moves:
                self.errors.append("%s would become %s, which is there" % (path, new))
        if len(set(self.moves.values())) != len(self.moves):
            self.errors.append("two files would become one")
        self.by_name = collections.defaultdict(list)
        for path in self.files:
            self.by_name[os.path.basename(path)].append(path)

    def moved(self, path):
        return self.moves.get(path, path)

    def resolve(self, here, name):
        """The file that `name` means in the file `here`; None where that is unknown."""
        folder = os.path.dirname(here)
        for candidate in (os.path.normpath(os.path.join(folder, name)), name, "client/include/" + name, "tests/" + name,
                          "tests/support/" + name):
            if candidate in self.files_set():
                return candidate
        some = [p for p in self.by_name.get(os.path.basename(name), ()) if p == name or p.endswith("/" + name)]
        near = [p for p in some if component(p) == component(here)]
        if len(near) == 1:
            return near[0]
        if len(some) == 1:
            return some[0]
        moved = [p for p in some if p in self.moves]
        # `cuda/foo.c`: the folder is part of the path
        if not some and "/" in name:
            tail = [p for p in self.by_name.get(os.path.basename(name), ()) if ("/" + p).find("/" + name.split("/")[0] + "/") >= 0]
            if len(tail) == 1:
                return tail[0]
        if moved and len({os.path.basename(self.moves[p]) for p in moved}) == 1 and len(moved) == len(some):
            return moved[0]
        if any(os.path.basename(self.moves[p]) != os.path.basename(p) for p in moved):
            print("left: %s in %s may be any of %s" % (name, here, ", ".join(some)))
        return None

    def files_set(self):
        if not hasattr(self, "_set"):
            self._set = set(self.files)
        return self._set

    def rename_path(self, here, folder, base):
        path = self.resolve(here, folder + base)
        new = os.path.basename(self.moved(path)) if path else base
        for a, b in self.dirs:
            if (folder.rstrip("/") + "/").startswith(a + "/"):
                folder = b + folder[len(a):]
        return folder + new

    def paths_of(self, here, text):
        text = PATH.sub(lambda m: self.rename_path(here, m.group(1), m.group(2) + "." + m.group(3)), text)
        for a, b in self.dirs:
            text = re.sub(r"(?<![\w/.-])%s(?![\w-])" % re.escape(a), b, text)
        return text

    # Names

    def plan_names(self):
        """self.maps: {path: [(spans or None, {old: new})]}, the narrowest first."""
        self.wide, self.targets = {}, {}
        self.maps = {path: [] for path in self.sources}
        self.members = {path: [] for path in self.sources}
        self.words = {path: [] for path in list(self.sources) + list(self.others)}
        everywhere = collections.Counter()
        for source in self.sources.values():
            everywhere.update(source.names)
        self.renamed, self.doubts = [], []
        for row in self.rows:
            if row.kind == "prefix":
                olds = [n for n in everywhere if n.startswith(row.old)]
                if not olds:
                    self.errors.append("line %d: nothing begins with %s" % (row.line, row.old))
                for old in sorted(olds):
                    self.add_wide(row, old, row.new + old[len(row.old):], everywhere)
            elif row.kind == "name" and not row.scope:
                if row.old not in everywhere:
                    self.errors.append("line %d: %s occurs nowhere" % (row.line, row.old))
                self.add_wide(row, row.old, row.new, everywhere)
            elif row.kind in ("name", "member"):
                self.add_scoped(row)
            elif row.kind == "word":
                self.add_word(row)
            elif row.kind == "target":
                if not any(re.search(r"\b%s\b" % re.escape(row.old), t) for t in self.others.values()):
                    self.errors.append("line %d: %s occurs nowhere" % (row.line, row.old))
                if any(re.search(r"\b%s\b" % re.escape(row.new), t) for t in self.others.values()):
                    self.errors.append("line %d: %s is there already" % (row.line, row.new))
                self.targets[row.old] = row.new
        for path, row in self.doubts: # a new name that is there, and does not become another itself
            if row.new not in self.wide and not any(spans is None and row.new in m for spans, m in self.maps[path]):
                self.errors.append("line %d: %s is in %s already (for %s)" % (row.line, row.new, path, row.old))
        news = collections.Counter(self.wide.values())
        self.errors += ["several would become %s" % new for new, n in news.items() if n > 1]

    def add_wide(self, row, old, new, everywhere):
        if old in self.wide:
            return # a row of its own before a prefix
        if new in everywhere:
            self.errors.append("line %d: %s is there already (for %s)" % (row.line, new, old))
        if old in self.public:
            self.errors.append("line %d: %s is public" % (row.line, old))
        self.wide[old] = new
        self.renamed.append((old, new))

    def add_scoped(self, row):
        hits = 0
        for path, spans in in_scope(row, self.sources, self.errors).items():
            source = self.sources[path]
            names = source.names if spans is None else source.inside(spans)
            behind, row_old = re.fullmatch(r"(.*?)(\w+)", row.old).groups()
            if row_old not in (source.members if row.kind == "member" else names):
                continue
            if behind and row.old not in source.text:
                continue
            hits += 1
            if row.new in names and row.new != row_old:
                self.doubts.append((path, row))
            for other, mapping in self.maps[path] if row.kind == "name" else ():
                if (other is None) == (spans is None) and (spans is None or set(spans) & set(other)):
                    if row.new in mapping.values():
                        self.errors.append("line %d: %s twice in %s" % (row.line, row.new, path))
                    if row.old in mapping:
                        self.errors.append("line %d: %s again in %s" % (row.line, row.old, path))
            if row.kind == "member":
                self.members[path].append((spans, {row_old: row.new}, behind))
            else:
                self.maps[path].append((spans, {row.old: row.new}))
        if not hits:
            self.errors.append("line %d: %s occurs nowhere in its scope" % (row.line, row.old))
        self.renamed.append((row.old, row.new))

    def mapping_at(self, path):
        """A function position -> {old: new} for this file."""
        narrow = [(spans, m) for spans, m in self.maps[path] if spans is not None]
        whole = {}
        for spans, m in self.maps[path]:
            if spans is None:
                whole.update(m)

        members = self.members[path]

        def find(at, name):
            if members and self.sources[path].is_member(at):
                for spans, m, behind in members:
                    if name in m and (spans is None or any(a <= at < b for a, b in spans)) and \
                            self.sources[path].is_behind(behind, at):
                        return m[name]
            for spans, m in narrow:
                if name in m and any(a <= at < b for a, b in spans):
                    return m[name]
            return whole.get(name) or self.wide.get(name)
        return find

    # Words

    def add_word(self, row):
        pattern = r"(?<![\w`'-])%s(?![\w`-]|\.\w|->)"
        hit = False
        scope = {}
        for entry in row.scope:
            if entry.endswith((".md", ".txt", ".py", ".rules")):
                paths = [p for p in self.others if fnmatch.fnmatch(key_of(p), entry)]
                scope.update({p: None for p in paths})
                if not paths:
                    self.errors.append("line %d: nothing is in the scope %s" % (row.line, entry))
        rest = [e for e in row.scope if not e.endswith((".md", ".txt", ".py", ".rules"))]
        if rest:
            scope.update(in_scope(row._replace(scope=rest), self.sources, self.errors))
        if not row.scope:
            fail("line %d: a word needs a scope" % row.line)
        forms = [(row.old, row.new)]
        if re.search(r"[a-z]$", row.old) and not row.old.endswith("s"):
            forms.append((plural(row.old), plural(row.new)))
        forms += [(a[0].upper() + a[1:], b[0].upper() + b[1:]) for a, b in forms]
        for path, spans in scope.items():
            text = self.sources[path].text if path in self.sources else self.others[path]
            for old, new in forms:
                regex = re.compile(r"(?:\b([Aa]n?)(\s+(?:\* )?))?" + (pattern % re.sub(r"\\? ", r"(?:\\s+(?:\\* )?)", re.escape(old))))
                if regex.search(text):
                    self.words[path].append((spans, regex, new))
                    hit = True
        if not hit:
            self.errors.append("line %d: the word %s occurs nowhere in its scope" % (row.line, row.old))

    def words_of(self, path, text, at):
        for spans, regex, new in self.words[path]:
            if spans is None or any(a <= at < b for a, b in spans):
                def put(m, new=new):
                    article = m.group(1)
                    if not article:
                        return new
                    article = article[0] + ("n" if re.match(r"[aeiou]", new) else "")
                    return article + m.group(2) + new
                text = regex.sub(put, text)
        return text

    # Texts

    def code(self, path):
        source, find = self.sources[path], self.mapping_at(path)
        text = []
        for at, token in source.tokens:
            if token.startswith("/*"):
                token = self.comment(path, token, at, find)
            elif NAME.match(token):
                token = find(at, token) or token
            text.append(token)
        text = "".join(text)

        def include(m):
            target = self.resolve(path, m.group(2))
            if target is None or target not in self.moves:
                return m.group(0)
            folder = os.path.dirname(m.group(2))
            new = self.rename_path(path, folder + "/" if folder else "", os.path.basename(m.group(2)))
            return m.group(1) + new + m.group(3)
        text = INCLUDE.sub(include, text)
        if path in self.moves and re.search(r"\.(h|cuh)$", path):
            text = self.guard(path, text)
        return text

    def guard(self, path, text):
        m = re.search(r"^#ifndef (GF_\w+)$", text, re.M)
        old_tail = re.sub(r"\W", "_", os.path.basename(path)).upper()
        new_tail = re.sub(r"\W", "_", os.path.basename(self.moves[path])).upper()
        if not m or not m.group(1).endswith(old_tail):
            if m and m.group(1) in self.wide.values():
                return text
            print("left: the guard of", path)
            return text
        old = m.group(1)
        new = old[: -len(old_tail)] + new_tail
        for a, b in self.dirs:
            a, b = ("_%s_" % re.sub(r"\W", "_", x).upper() for x in (a, b))
            new = new.replace(a, b)
        self.renamed.append((old, new))
        return re.sub(r"\b%s\b" % old, new, text)

    def comment(self, path, token, at, find):
        token = self.paths_of(path, token)

        def put(m):
            name = m.group(0)
            new = find(at + m.start(), name)
            if not new:
                return name
            quoted = token[m.start() - 1] == "`" and token[m.end() : m.end() + 1] == "`"
            member = token[m.end() : m.end() + 2] in ("->", "()") or token[m.start() - 2 : m.start()] == "->" or \
                re.match(r"\.[a-z]", token[m.end() :])
            return new if quoted or member or SURE.fullmatch(name) else name
        return self.words_of(path, NAME.sub(put, token), at)

    def other(self, path):
        text = self.paths_of(path, self.others[path])
        for a, b in self.dirs: # a list names its own folders
            text = re.sub(r"(?<=add_subdirectory\()%s(?=\))" % re.escape(os.path.basename(a)), os.path.basename(b), text)
        markdown = path.endswith(".md")

        def put(m):
            name = m.group(0)
            if name in self.targets:
                return self.targets[name]
            if name in self.stems and not path.endswith(".md"):
                return self.stems[name]
            new = self.wide.get(name)
            if new and (re.match(r"gf_|GF_", name) or (markdown and "_" in name)):
                return new
            return name
        text = NAME.sub(put, text)
        if path.endswith(("CMakeLists.txt", ".cmake")):
            text = self.lists_of(path, text)
        if path.endswith(".rules"): # bare stems
            stems = {os.path.splitext(os.path.basename(a))[0]: os.path.splitext(os.path.basename(b))[0]
                     for a, b in self.moves.items() if component(a) == "server/front"}
            text = re.sub(r"(?<=[ ])\w+(?=[ \n])", lambda m: stems.get(m.group(0), m.group(0)), text)
        return self.words_of(path, text, 0)

    def lists_of(self, path, text):
        """The stems of a foreach() whose variable is a part of file names, as in test_${name}.c."""
        for prefix, variable in set(re.findall(r"\b(\w+_)\$\{(\w+)\}\.\w+", text)):
            stems = {}
            for a, b in self.moves.items():
                a, b = (os.path.splitext(os.path.basename(x))[0] for x in (a, b))
                if a.startswith(prefix) and b.startswith(prefix):
                    stems[a[len(prefix) :]] = b[len(prefix) :]
            text = re.sub(r"(?<=foreach\(%s )[^)]*" % variable,
                          lambda m: NAME.sub(lambda n: stems.get(n.group(0), n.group(0)), m.group(0)), text)
        return text

    def run(self):
        texts = {path: self.code(path) for path in self.sources}
        texts.update({path: self.other(path) for path in self.others})
        for path, text in texts.items():
            old = self.sources[path].text if path in self.sources else self.others[path]
            if text != old:
                with open(path, "w", encoding="utf-8") as f:
                    f.write(text)
        for path, new in self.moves.items():
            os.makedirs(os.path.dirname(new), exist_ok=True)
            subprocess.run(["git", "mv", path, new], check=True)
        changed = [self.moved(p) for p, s in self.sources.items() if texts[p] != s.text or p in self.moves]
        changed = [p for p in changed if not p.endswith(".def")]
        tool = next((t for t in ("clang-format-14", "clang-format") if shutil.which(t)), None)
        if tool is None:
            fail("no clang-format: format the changed files with version 14")
        for i in range(0, len(changed), 64):
            subprocess.run([tool, "-i", *changed[i : i + 64]], check=True)
        print("%d identifiers, %d files, %d texts" % (len(set(self.renamed)), len(self.moves),
                                                      sum(texts[p] != (self.sources[p].text if p in self.sources else self.others[p]) for p in texts)))


def plural(word):
    return word + ("es" if word.endswith(("s", "ch", "x")) else "s")


def write_csv(path, pairs):
    if path:
        with open(path, "w", newline="", encoding="utf-8") as f:
            csv.writer(f).writerows(sorted(set(pairs)))


def main():
    parser = argparse.ArgumentParser(description="Renames by a table.")
    parser.add_argument("table", nargs="?", default=os.path.join(os.path.dirname(os.path.abspath(__file__)), "renames.tsv"))
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--names")
    parser.add_argument("--files")
    args = parser.parse_args()
    rows = read_table(args.table)
    if not args.check and git("status", "--porcelain"):
        fail("the tree is not clean")
    renamer = Renamer(rows)
    if not args.check:
        renamer.run()
    write_csv(args.names, renamer.renamed)
    write_csv(args.files, renamer.moves.items())


if __name__ == "__main__":
    main()
