"""As much of JSON Schema as our own output schemas use. A keyword that is not known here is an error, not ignored."""

KNOWN = {"$schema", "title", "description", "default", "examples", "type", "properties", "required",
         "additionalProperties", "items", "enum", "const", "minimum", "maximum", "minLength", "anyOf"}

TYPES = {
    "object": lambda x: isinstance(x, dict),
    "array": lambda x: isinstance(x, list),
    "string": lambda x: isinstance(x, str),
    "boolean": lambda x: isinstance(x, bool),
    "null": lambda x: x is None,
    "number": lambda x: isinstance(x, (int, float)) and not isinstance(x, bool),
    "integer": lambda x: isinstance(x, int) and not isinstance(x, bool),
}


def problems(value, schema, where="$"):
    """What is wrong with `value`, one text per problem."""
    if schema is True or schema == {}:
        return []
    if schema is False:
        return [f"{where}: not allowed"]
    unknown = set(schema) - KNOWN
    if unknown:
        return [f"{where}: the schema uses {sorted(unknown)}, which this checker does not know"]
    return (_scalar_problems(value, schema, where) + _object_problems(value, schema, where)
            + _array_problems(value, schema, where) + _choice_problems(value, schema, where))


def _scalar_problems(value, schema, where):
    types = schema.get("type", [])
    types = [types] if isinstance(types, str) else types
    if types and not any(TYPES[name](value) for name in types):
        return [f"{where}: expected {' or '.join(types)}, got {value!r}"]
    found = []
    if "enum" in schema and value not in schema["enum"]:
        found.append(f"{where}: expected one of {schema['enum']}, got {value!r}")
    if "const" in schema and value != schema["const"]:
        found.append(f"{where}: expected {schema['const']!r}, got {value!r}")
    if TYPES["number"](value):
        if value < schema.get("minimum", value) or value > schema.get("maximum", value):
            found.append(f"{where}: {value} is out of range")
    if isinstance(value, str) and len(value) < schema.get("minLength", 0):
        found.append(f"{where}: too short")
    return found


def _object_problems(value, schema, where):
    if not isinstance(value, dict):
        return []
    properties = schema.get("properties", {})
    found = [f"{where}: {name} is missing" for name in schema.get("required", []) if name not in value]
    for name, member in value.items():
        member_schema = properties.get(name, schema.get("additionalProperties", True))
        if member_schema is False:
            found.append(f"{where}: {name} is not in the schema")
        else:
            found += problems(member, member_schema, f"{where}.{name}")
    return found


def _array_problems(value, schema, where):
    if not isinstance(value, list):
        return []
    items = schema.get("items", True)
    return [problem for index, item in enumerate(value) for problem in problems(item, items, f"{where}[{index}]")]


def _choice_problems(value, schema, where):
    if "anyOf" not in schema or any(not problems(value, option, where) for option in schema["anyOf"]):
        return []
    return [f"{where}: {value!r} fits none of anyOf"]
