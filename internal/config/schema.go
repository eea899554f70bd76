package config

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
)

// Schema is the JSON Schema (2020-12) of the configuration file, made of the
// table of keys. It checks names, types and required keys while one writes;
// what follows from several keys together only Parse can tell.
func Schema() ([]byte, error) {
	chain := file.child("chains").each
	definitions := map[string]any{
		"variable": map[string]any{
			"type": "string", "pattern": `\$\{[A-Za-z_][A-Za-z0-9_]*\}`,
			"description": "A value that is put in from the environment.",
		},
		"file": map[string]any{
			"type": "object", "properties": map[string]any{"chains": chainsFragment("chain")},
			"required": []string{"chains"}, "additionalProperties": false,
		},
		"chain":         chainFragment(chain, nil),
		"bifrost_chain": bifrostChainFragment(chain),
	}
	for _, c := range chain.children {
		definitions[c.name] = fragment(c)
	}
	schema := map[string]any{
		"$schema":     "https://json-schema.org/draft/2020-12/schema",
		"title":       "Understudy configuration",
		"description": "Chains and their providers, at the top level or inside a larger Bifrost configuration.",
		"$defs":       definitions,
		"type":        "object",
		"if":          map[string]any{"required": []string{"bifrost"}},
		"then": map[string]any{"properties": map[string]any{
			"chains": false,
			"bifrost": map[string]any{
				"type": "object", "required": []string{"chains"},
				"properties": map[string]any{"chains": map[string]any{
					"type": "object", "additionalProperties": reference("bifrost_chain"),
				}},
			},
		}},
		"else": reference("file"),
	}
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(schema); err != nil {
		return nil, fmt.Errorf("make the JSON Schema: %w", err)
	}
	return out.Bytes(), nil
}

func reference(name string) map[string]any { return map[string]any{"$ref": "#/$defs/" + name} }

// chainsFragment is the table of chains.
func chainsFragment(definition string) map[string]any {
	return map[string]any{
		"description": describe(file.child("chains")), "type": "object", "minProperties": 1,
		"propertyNames": map[string]any{"pattern": usableName.String()}, "additionalProperties": reference(definition),
	}
}

// chainFragment is a chain, whose members have definitions of their own; more
// are keys that are let pass.
func chainFragment(chain *branch, more []string) map[string]any {
	properties := map[string]any{}
	for _, name := range more {
		properties[name] = true
	}
	for _, c := range chain.children {
		properties[c.name] = reference(c.name)
	}
	return map[string]any{
		"type": "object", "properties": properties, "additionalProperties": false, "required": []string{"providers"},
	}
}

// bifrostChainFragment is a chain of a Bifrost configuration: ours when it has
// providers or a policy, else anything.
func bifrostChainFragment(chain *branch) map[string]any {
	return map[string]any{
		"if": map[string]any{"anyOf": []any{
			map[string]any{"required": []string{"providers"}}, map[string]any{"required": []string{"failover"}},
		}},
		"then": chainFragment(chain, bifrostChainKeys),
	}
}

// fragment is the schema of one key.
func fragment(b *branch) map[string]any {
	var f map[string]any
	switch b.shape {
	case shapeObject:
		f = objectFragment(b)
	case shapeTable:
		f = map[string]any{"type": []string{"object", "null"}, "additionalProperties": fragment(b.each)}
	case shapeList:
		f = map[string]any{"type": []string{"array", "null"}, "items": fragment(b.each)}
		if b.required {
			f["type"], f["minItems"] = "array", 1
		}
	default:
		f = scalarFragment(b)
	}
	if text := describe(b); text != "" {
		f["description"] = text
	}
	if b.example != "" && b.shape != shapeList {
		f["examples"] = []any{exampleValue(b)}
	}
	return f
}

func objectFragment(b *branch) map[string]any {
	properties := map[string]any{}
	required := []string{}
	for _, c := range b.children {
		properties[c.name] = fragment(c)
		if c.required {
			required = append(required, c.name)
		}
	}
	f := map[string]any{"type": []string{"object", "null"}, "properties": properties, "additionalProperties": false}
	if len(required) > 0 {
		f["type"], f["required"] = "object", required
	}
	return f
}

// scalarFragment is the schema of a single value; each may come from a
// variable.
func scalarFragment(b *branch) map[string]any {
	switch b.shape {
	case shapeInteger:
		return either(map[string]any{"type": "integer", "minimum": b.min, "maximum": b.max})
	case shapeBoolean:
		return either(map[string]any{"type": "boolean"})
	case shapeWord:
		return either(map[string]any{"enum": b.words})
	case shapeName:
		return either(map[string]any{"type": "string", "pattern": usableName.String()})
	case shapeDuration:
		d := map[string]any{"type": "string", "pattern": durationPattern}
		if b.zero {
			return map[string]any{"anyOf": []any{d, map[string]any{"const": 0}, reference("variable")}}
		}
		return either(d)
	case shapeAddress:
		schemes := "https?"
		if b.socks {
			schemes = "(https?|socks5)"
		}
		return either(map[string]any{"type": "string", "pattern": "^" + schemes + "://[^/?#]+"})
	case shapeIdentity, shapeHash:
		return map[string]any{"type": []string{"number", "string"}, "pattern": `\S`}
	default:
		return map[string]any{"type": "string", "pattern": `\S`}
	}
}

// either is a value as it is or as a variable.
func either(f map[string]any) map[string]any {
	return map[string]any{"anyOf": []any{f, reference("variable")}}
}

// describe is a key's sentence with its default.
func describe(b *branch) string {
	text := b.doc
	if b.standard != "" {
		text += " Default: " + b.standard + "."
	}
	return strings.ReplaceAll(text, "`", "")
}

// exampleValue is a key's example in the type of the key.
func exampleValue(b *branch) any {
	switch b.shape {
	case shapeInteger:
		if n, err := strconv.ParseInt(b.example, 10, 64); err == nil {
			return n
		}
	case shapeBoolean:
		return b.example == "true"
	}
	return b.key.example
}
