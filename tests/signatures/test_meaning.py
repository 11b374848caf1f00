"""Declarations mean what the schemas mean: a valid example typechecks, and an invalid one does not."""

import json
import re
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

import compilers
import schemas

TREE = {"type": "object", "properties": {"value": {"type": "number"}, "children": {"type": "array", "items": {"$ref": "#"}}}, "required": ["value"]}
SHAPES = {
    "$defs": {"circle": {"type": "object", "properties": {"kind": {"const": "circle"}, "radius": {"type": "number"}}, "required": ["kind", "radius"]},
              "box": {"type": "object", "properties": {"kind": {"const": "box"}, "size": {"type": "array", "items": {"type": "number"}, "minItems": 2, "maxItems": 2}}, "required": ["kind", "size"]}},
    "oneOf": [{"$ref": "#/$defs/circle"}, {"$ref": "#/$defs/box"}],
}
# Schema, values that fit, values that do not.
CASES = (
    ({"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "integer"}}, "required": ["a"]},
     [{"a": "x"}, {"a": "x", "b": 1}], [{}, {"a": 1}, {"a": "x", "b": "y"}, {"a": "x", "c": 1}]),
    ({"type": "object", "properties": {"mode": {"enum": ["r", "w"]}, "n": {"type": ["integer", "null"]}}, "required": ["mode"]},
     [{"mode": "r"}, {"mode": "w", "n": None}], [{"mode": "x"}, {"mode": "r", "n": "1"}]),
    ({"type": "object", "additionalProperties": {"type": "number"}}, [{}, {"a": 1.5}], [{"a": "x"}]),
    ({"type": "object", "properties": {"a": {"type": "string"}}, "additionalProperties": True}, [{"a": "x", "z": [1]}], [{"a": 1}]),
    ({"type": "object", "allOf": [{"properties": {"a": {"type": "string"}}, "required": ["a"]}, {"properties": {"b": {"type": "null"}}}]},
     [{"a": "x"}, {"a": "x", "b": None}], [{}, {"a": "x", "b": 1}]),
    ({"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "string"}}, "anyOf": [{"required": ["a"]}, {"required": ["b"]}]},
     [{"a": "x"}, {"b": "x"}, {"a": "x", "b": "y"}], [{}, {"a": 1}]),
    ({"type": "object", "properties": {"p": {"type": "array", "prefixItems": [{"type": "string"}, {"type": "number"}], "minItems": 2, "items": False}}},
     [{"p": ["x", 1]}], [{"p": ["x"]}, {"p": [1, "x"]}, {"p": ["x", 1, 2]}]),
    ({"type": "object", "properties": {"t": TREE["properties"]["value"], "tree": {"$ref": "#/$defs/tree"}}, "$defs": {"tree": {**TREE, "properties": {**TREE["properties"], "children": {"type": "array", "items": {"$ref": "#/$defs/tree"}}}}}},
     [{"tree": {"value": 1, "children": [{"value": 2}]}}], [{"tree": {"value": 1, "children": [{"children": []}]}}]),
    (TREE, [{"value": 1, "children": [{"value": 2, "children": []}]}], [{"value": 1, "children": [{}]}, {"children": []}]),
    (SHAPES, [{"kind": "circle", "radius": 1}, {"kind": "box", "size": [1, 2]}], [{"kind": "circle", "size": [1, 2]}, {"kind": "box", "size": [1]}]),
    ({"type": "object", "properties": {"odd-name": {"type": "str"}, "class": {"type": "int"}}, "required": ["odd-name"]},
     [{"odd-name": "x", "class": 1}], [{"class": 1}, {"odd-name": 1}]),
)


def tool(number, schema):
    return {"server": "s", "name": f"take{number}", "description": "", "inputSchema": schema, "outputSchema": schema}


class TypeScript(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        printed = compilers.printed([tool(number, schema) for number, (schema, _, _) in enumerate(CASES)])
        cls.declared = [json.loads(line)["typescript"] for line in printed.splitlines()]

    def test_examples(self):
        lines, refused = [], set()
        for number, (_, valid, invalid) in enumerate(CASES):
            lines += self.declared[number].rstrip("\n").split("\n")
            for value in valid:
                lines.append(f"await mcp.s.take{number}({json.dumps(value)});")
            for value in invalid:
                lines.append(f"await mcp.s.take{number}({json.dumps(value)});")
                refused.add(len(lines))
        said = compilers.deno_complaints(["\n".join(lines) + "\nexport {};\n"], whole=True)
        self.assertEqual(compilers.complaint_lines(said), refused, said)

    def test_results(self):
        """What comes back has the type that the schema says."""
        lines = [*"\n".join(self.declared).split("\n"), "export const a: string | undefined = (await mcp.s.take0({ a: 'x' })).a;",
                 "const tree = await mcp.s.take8({ value: 1 });", "export const n: number | undefined = tree.children?.[0].children?.[0].value;",
                 "export const wrong: string = tree.value;"]
        said = compilers.deno_complaints(["\n".join(lines) + "\n"], whole=True)
        self.assertEqual(compilers.complaint_lines(said), {len(lines)}, said)


class Suite(unittest.TestCase):
    """Types are never narrower than the schemas: what the suite calls valid fits, wherever a schema speaks of one type."""

    def test_valid_objects_typecheck(self):
        cases = [(schema, test["data"]) for schema, tests in schemas.suite_cases()
                 for test in tests if test["valid"] and isinstance(test["data"], dict) and self.is_typed(schema)]
        self.assertGreater(len(cases), 20)
        printed = compilers.printed([tool(number, schema) for number, (schema, _) in enumerate(cases)])
        text = "export {};\n"
        for number, (line, (_, data)) in enumerate(zip(printed.splitlines(), cases)):
            text += json.loads(line)["typescript"] + f"await mcp.s.take{number}({json.dumps(data)});\n"
        said = compilers.deno_complaints([text], whole=True)
        # A schema that says nothing of other names allows them; a type that has some does not.
        self.assertLessEqual(set(re.findall(r"TS\d+", said)), {"TS2353"}, said)

    @staticmethod
    def is_typed(schema):
        return isinstance(schema, dict) and schema.get("type") == "object" and "not" not in schema


class Python(unittest.TestCase):
    @unittest.skipUnless(compilers.mypy(), "mypy is not installed")
    def test_examples(self):
        tools = [tool(number, schema) for number, (schema, _, _) in enumerate(CASES)]
        lines = ["import stubs", "", "async def main() -> None:"]
        refused = set()
        module = compilers.printed(tools, "python", "s")
        for number, (schema, valid, invalid) in enumerate(CASES):
            if number in UNION_CASES:
                continue
            for value, fits in [(v, True) for v in valid] + [(v, False) for v in invalid]:
                positional = f"async def take{number}(params:" in module
                given = repr(value) if positional else ", ".join(f"{name}={part!r}" for name, part in value.items())
                lines.append(f"    await stubs.take{number}({given})")
                if not fits:
                    refused.add(len(lines))
        said = compilers.mypy_complaints({"stubs.pyi": module, "main.py": "\n".join(lines) + "\n"}, whole=True)
        found = {int(line.split(":")[1]) for line in said.splitlines() if "main.py:" in line and ": error:" in line}
        self.assertEqual(found, refused, said)
        self.assertNotRegex(said, r"stubs\.pyi:\d+: error")


# A union of objects, and a list of fixed length, are wider as keywords and as lists: what they refuse is told by TypeScript.
UNION_CASES = {5, 6, 9}

if __name__ == "__main__":
    unittest.main()
