#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""section3.py VERSION OPS.JSON FOLDER HEADER...: writes a man page for each function and struct of the libraries to
FOLDER.

The page of an operation comes from the table that gpufilter_ops_json returns, and its prototype from the header of its
family; its parameters are in its page. The page of any other function or struct is the comment before its declaration
in the header; functions that share a comment share the page."""
import gzip
import json
import os
import re
import sys
import textwrap

BLOCK = re.compile(r"/\*(?P<text>(?:[^*]|\*(?!/))*)\*/\n(?P<code>(?:(?!/\*|\n\n|\n#)[\s\S])*\);)(?=\n)")
STRUCT = re.compile(r"/\*(?P<text>(?:[^*]|\*(?!/))*)\*/\n(?P<code>typedef struct (?P<name>\w+) \{\n[\s\S]*?\n\} (?P=name);)")
PROTOTYPE = re.compile(r"^(?:const )?\w+ \*?(gpufilter_\w+)\([^;{]*?\);", re.M)


def escaped(text):
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return "\n".join("\\&" + line if line[:1] in (".", "'") else line for line in text.split("\n"))


def cleaned(comment):
    """The paragraphs of a comment; lines that are indented stay lines."""
    lines = [re.sub(r"^\s*\* ?", "", line).rstrip() for line in comment.strip().split("\n")]
    return "\n".join(lines).strip()


def body(text):
    out = []
    for paragraph in re.split(r"\n\s*\n", text):
        if paragraph.startswith("    ") or re.match(r"^ {2,}\w", paragraph):
            out += [".PP", ".nf", escaped(textwrap.dedent(paragraph)), ".fi"]
        else:
            out += [".PP", escaped(paragraph)]
    return out[1:]


def page(version, names, about, synopsis, sections, structs):
    library = "image" if names[0].startswith("gpufilter_image_") else "client"
    lines = [f'.TH {names[0].upper()} 3 "" "gpufilterd {version}" "Library Functions Manual"', ".SH NAME",
             escaped(", ".join(names)) + " \\- " + escaped(about), ".SH LIBRARY", f"libgpufilter{library}",
             f".RB ( \\-lgpufilter{library} )", ".SH SYNOPSIS", ".nf"]
    lines += [f"\\fB{escaped(line)}\\fR" if line else ".PP" for line in synopsis.split("\n")] + [".fi"]
    for title, content in sections:
        lines += [f".SH {title}", *content]
    used = sorted(structs & set(re.findall(r"gpufilter_\w+", synopsis)) - set(names))
    others = [f".BR {name} (3)," for name in used]
    others += [f".BR libgpufilter{library} (3),", ".BR gpufilter\\-client (1)"]
    return "\n".join(lines + [".SH SEE ALSO", *others]) + "\n"


def first_sentence(text):
    sentence = re.split(r"(?<=[^.])[.;:](?:\s|$)", " ".join(text.split()), maxsplit=1)[0]
    sentence = sentence[0].lower() + sentence[1:]
    return sentence if len(sentence) < 160 else sentence[:sentence.rindex(" ", 0, 160)]


def declarations(path, source, version, structs):
    """The pages of a header, by name."""
    header = "gpufilter/" + path.split("/gpufilter/")[-1]
    for found in [*BLOCK.finditer(source), *STRUCT.finditer(source)]:
        names = [found["name"]] if found.re is STRUCT else PROTOTYPE.findall(found["code"])
        if not names:
            continue
        text = cleaned(found["text"])
        synopsis = f"#include <{header}>\n\n" + found["code"]
        yield names, page(version, names, first_sentence(text), synopsis, [("DESCRIPTION", body(text))], structs)


def item(name, *lines):
    return [".TP", f".B {escaped(name)}", *[escaped(line) for line in lines if line]]


def param_lines(param, words):
    what = {"u32": "uint32_t", "f32": "float", "f64": "double", "enum": f"enum gpufilter_{param.get('enum')}",
            "text": "text"}[param["type"]]
    several = f", up to {param['max_values']} values" if param["max_values"] > 1 else ""
    default = " ".join(str(v) for v in param["default"]) or "not given"
    if param.get("enum") == "alpha":
        default = "by gpufilter_view.alpha, auto for a picture with alpha and otherwise straight"
    lines = item(param["name"], param["help"][0].upper() + param["help"][1:] + ".",
                 f"{what}{several}; {param['range']}. Default: {default}.")
    for word in words.get(param.get("enum"), []):
        if word["word"] in param["words"]:
            lines += [".RS", *item(word["word"], word["help"]), ".RE"]
    return lines


def operation(op, prototype, words, version, structs):
    name = "gpufilter_" + op["name"]
    required = [i for i in op["inputs"] if not i["optional"]]
    inputs, outputs, params = [], [], []
    for i in op["inputs"]:
        place = i["name"] if i in required else "params->" + i["name"]
        inputs += item(place, i["help"][0].upper() + i["help"][1:] + ".", ", ".join(i["dtypes"]) + ".")
    for k, out in enumerate(op["outputs"]):
        types = out["dtypes"]
        same = all(a == b for a, b in types.items())
        kinds = sorted(set(types.values()))
        which = "Type of the first input." if same else (
            f"{kinds[0]}." if len(kinds) == 1 else "; ".join(f"{a}: {b}" for a, b in types.items()) + ".")
        outputs += item(("params->ret_" if k else "") + out["name"], out["help"][0].upper() + out["help"][1:] + ".", which)
    for param in op["params"]:
        params += param_lines(param, words)
    text = ["The operation in a text for", ".BR gpufilter_run_text (3)", "is", f".BR {op['name']} ,",
            "with the same names of parameters. A parameter struct begins with its macro",
            f".BR GPUFILTER_{op['name'].upper()}_INIT ;", "NULL takes every default. The formula is in",
            ".IR /usr/share/doc/gpufilterd/numerics.md ,", "of the package gpufilterd\\-doc."]
    sections = [("DESCRIPTION", [escaped(op["help"] + "."), *text]), ("INPUTS", inputs), ("OUTPUTS", outputs)]
    sections += [("PARAMETERS", params)] if params else []
    sections += [("RETURN VALUE", ["The statuses of", ".BR gpufilter_run (3)."])]
    about = op["help"][0].lower() + op["help"][1:] if op["help"][1:2].islower() else op["help"]
    return page(version, [name], about, f"#include <gpufilter/ops/{op['family']}.h>\n\n{prototype}", sections, structs)


def main():
    version, table, folder, *headers = sys.argv[1:]
    with open(table, encoding="utf-8") as f:
        table = json.load(f)
    words = {e["name"]: e["words"] for e in table["enums"]}
    sources = {}
    for path in headers:
        with open(path, encoding="utf-8") as f:
            sources[path] = f.read()
    families = {path: source for path, source in sources.items() if "/ops/" in path}
    structs = {m["name"] for path in sources.keys() - families.keys() for m in STRUCT.finditer(sources[path])}
    prototypes = {m[1]: m[0] for source in families.values() for m in PROTOTYPE.finditer(source)}
    pages = {}
    for path in sources.keys() - families.keys():
        for names, text in declarations(path, sources[path], version, structs):
            pages[names[0]] = text
            pages.update({name: f".so man3/{names[0]}.3\n" for name in names[1:]})
    for op in table["ops"]:
        name = "gpufilter_" + op["name"]
        pages[name] = operation(op, prototypes[name], words, version, structs)
    os.makedirs(folder, exist_ok=True)
    for old in os.listdir(folder):
        os.remove(os.path.join(folder, old))
    for name, text in pages.items():
        with gzip.GzipFile(os.path.join(folder, name + ".3.gz"), "wb", mtime=0) as f:
            f.write(text.encode())


if __name__ == "__main__":
    main()
