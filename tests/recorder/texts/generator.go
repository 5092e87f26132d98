package main

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// generator writes texts. It never uses two keys that differ only in their type, such as 1 and "1": the decoder keeps either.
type generator struct{ *rand.Rand }

func (g *generator) chance(percent int) bool { return g.IntN(100) < percent }

func pick[T any](g *generator, from []T) T { return from[g.IntN(len(from))] }

var (
	keys = []string{
		"name", "image", "replicas", "labels", "args", "env", "value", "key", "spec", "containers", "ports", "data", "on", "y",
		"8080", "a.b/c", "'quoted'", `"double"`, "no", "true", "x y", "é", "名", "-a", "a:b", "a#b", "?a", "1.5",
	}
	plain = []string{
		"web", "registry.test/web:1", "registry.test/web@sha256:0a", "3", "-1", "0", "+7", "007", "0o17", "0x1F", "0b101", "1_000",
		"0_7", "08", "1e3", "1.5", ".5", "5.", "-.5", "1E-2", "1e400", ".inf", "-.INF", ".nan", "yes", "No", "on", "OFF", "y", "N",
		"True", "FALSE", "tRue", "~", "null", "Null", "", "2026-01-02", "2026-01-02T03:04:05Z", "12:30", "190:20:30", "25%",
		"500m", "1Gi", "99999999999999999999", "9223372036854775808", "-9223372036854775809", "1.2.3", "1e", "0x", "--1", "+-1",
		"1__0", "_1", "-0", "-0.0", "1.0", "12e03", "http://a.test/?b=c&d", "C:\\a", "a'b", `a"b`, "''", `""`, "é", "名前", "😀", "${A}", "$(A)",
		"a\u00a0b", "a\u2028b", "a\u0085b", "a\tb", "=", "a, b", "a]b",
	}
	// special is plain text with an indicator.
	special = []string{
		"a: b", "a #b", "a#b", "#a",
		"-a", "- a", "?a", "? a", ":a", ": a", "a:", "@a", "`a`", "%a", "&a", "*a", "!a", "|", ">", "[", "]", "{", "}", ",",
		"{{ .Values.a }}", "\ta", "--- a", "...", "<<",
	}
	quotable = []string{
		"web", "", " a ", "a: b", "# a", "yes", "3", "null", "a'b", `a"b`, `a\b`, "é", "😀", "a\tb", "{\"a\": 1}", "---", "<<", "~",
	}
	escapes = []string{
		`\n`, `\t`, `\\`, `\"`, `\/`, `\0`, `\x41`, `\u00e9`, `\U0001F600`, `\ud83d\ude00`, `\q`, `\e`, `\_`, `\N`, `\ `, `\'`,
		"\\\n    ", `\x`, `\u12`,
	}
	tags = []string{"!!str", "!!int", "!!float", "!!bool", "!!null", "!!binary", "!!timestamp", "!custom", "!", "!!map", "!!seq", "!<tag:yaml.org,2002:str>", "!e!x"}
	// odd are whole values that need no generator.
	odd = []string{
		"[\n\"a\",\n\"b\",\n]", "[a, b,]", "[,]", "[a,,b]", "[]", "{}", "[a b, c]", "[a: b, c]", "[? a : b]", "{a, b: c}", "{a: , b}",
		"{a:b}", "{\"a\":b}", "{'a':'b'}", "{a: [b, {c: d}]}", "[{a: b}, [c]]", "{a: b", "[a, b", "{a: b}}", "[a]]", "[a} ", "{? a}",
		"[http://a.test:80, b:c]", "[a:, b]", "[:a, ::b]", "{a: 'b'c}", "[ 'a' 'b' ]", "{a: b, a: c}", "[-, a]", "[- a]", "[*x]",
		"[null, ~, , ]", "[~]", "{a: ~}", "[a#b, c # d\n]", "{a: b # c\n, d: e}", "[a, # b\n c]", "[a,\n# b\n c]",
		"|\n  a\n  b", "|-\n  a\n", "|+\n  a\n\n\n", ">\n  a\n  b\n\n  c", ">-\n  a\n   b\n  c", "|2\n   a\n  b", "|1\n a", "|\n\n  a", "|\n   \n  a",
		"|\n  a\n b", "|\n\ta", "|9\n  a", "|0\n a", "| # a\n  b", "|a\n  b", ">+\n\n", "|\n", "|-", "|\na", "|\n  a\n# b\n  c",
		"'a\n  b'", "\"a\n  b\"", "'a\n\n  b'", "\"a \\\n  b\"", "'a\nb'", "\"a\nb\"", "'{\n  \"a\": 1\n}'", "'a", "\"a", "'a' b", "\"a\" # b",
		"'a'#b", "a\n  b", "a\n\n  b", "a\n  # b\n  c", "a # b\n  c", "a\nb", "a\n  b: c", "a b\n  - c",
		"\n- a\n- b", "\n  - a\n  - b", "\n- a\n - b", "\n-a", "\n-\n- b", "\n- - a\n  - b", "\n- a: b\n  c: d", "\n- a: b\n c: d",
		"\n-\ta", "\n- \ta", "\n\t- a", "\n- ? a\n  : b", "\n? a\n: b", "\n  ? [a]\n  : b", "\n  ? {a: b}\n  : c", "\n  ~: a", "\n  : a", "\n  ? a",
		"\n  a: b\n  a: c", "\n  a: b\n  \"a\": c", "\n  a: {b: c}\n  a: d", "\n  a: b\n c: d", "\n  a: b\n   c: d", "\n  a: 1\n\n\n  b: 2",
		"\n  a: b\n# c\n  d: e", "\n  a:\n  b:", "\n  a: - b", "\n  - a\n  b: c", "\n  a: b: c", "\n  a : b", "\n  a\t: b", "\n  a:\tb", "\n  a:\n\tb",
		"\n  'a' : b", "\n  'a':b", "\n  a:b", "\n  \"a\nb\": c", "\n  ? |\n    a\n  : b", "\n  [a]: b", "\n  {a: b}: c", "\n  1: a\n  2: b", "\n  1.5: a",
		"\n  1e20: a", "\n  yes: a", "\n  &x a: b\n  c: *x", "\n  &x a : b", "\n  *x : b",
	}
	// chunks are put in by damage.
	chunks = []string{
		":", ": ", "- ", "-", "? ", "[", "]", "{", "}", ",", "'", "\"", "#", " #", "&x ", "*x", "!", "|", ">", "%", "@", "\t", " ", "  ", "\n",
		"\r", "\r\n", "\u0085", "\u2028", "\ufeff", "\u0000", "\u0007", "\u007f", "\u00a0", "\ufffe", "---", "\n---\n", "\n...\n", "\n--- #a\n", "\n---a\n", "\n--- a\n",
		"\n----\n", "<<: *x", "\\", "~", "é",
	}
)

// text is one or several documents, and sometimes the marks and line breaks of other systems.
func (g *generator) text() string {
	var out strings.Builder
	if g.chance(4) {
		out.WriteString(pick(g, []string{"\ufeff", "%YAML 1.1\n---\n", "%TAG !e! tag:e.test,2026:\n---\n", "# a\n", "\n\n", "---\n", "--- # a\n", " \n", "%YAML 1.2\n"}))
	}
	documents := 1
	if g.chance(14) {
		documents = 2 + g.IntN(2)
	}
	for number := range documents {
		if number > 0 {
			out.WriteString(pick(g, []string{"---\n", "---\n", "---\n", "--- \n", "--- # a\n", "---\n---\n", "...\n---\n", "...\n", "---\t\n", "---\r\n", " ---\n", "---a\n", "--- {a: b}\n", "---\n# a\n"}))
		}
		out.WriteString(g.document())
	}
	text := out.String()
	if g.chance(14) {
		for range 1 + g.IntN(2) {
			text = g.damage(text)
		}
	}
	switch {
	case g.chance(4):
		text = strings.ReplaceAll(text, "\n", "\r\n")
	case g.chance(1):
		text = strings.ReplaceAll(text, "\n", "\r")
	}
	return text
}

func (g *generator) document() string {
	switch g.IntN(20) {
	case 0:
		return g.json(0) + pick(g, []string{"", "\n", "\n", "\n" + g.json(0), g.json(0), "\na: b\n"})
	case 1:
		return pick(g, []string{"", "# a\n", "a\n", "- a\n- b\n", "~\n", "null\n", "'a'\n", "[a]\n", "3\n", "a: b", "a:\n", "|\n a\n"})
	}
	var out strings.Builder
	out.WriteString(pick(g, []string{"apiVersion: v1\nkind: ConfigMap\n", "kind: Pod\n", "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\n", "", ""}))
	if g.chance(12) {
		out.WriteString(g.anchors())
	}
	out.WriteString(g.block(0, 1+g.IntN(3), 2+g.IntN(2)))
	return out.String()
}

// anchors are values that others repeat or merge.
func (g *generator) anchors() string {
	base := pick(g, []string{"base: &x {a: 1, b: 2}\n", "base: &x\n  a: 1\n  b: {c: 2}\n", "base: &x [a, b]\n", "base: &x a\n", "&x base: a\n", "base: &x\n"})
	use := pick(g, []string{
		"copy: *x\n", "more:\n  <<: *x\n  b: 3\n", "more:\n  b: 3\n  <<: *x\n", "more: {<<: *x}\n", "more:\n  <<: [*x, {a: 9, d: 4}]\n",
		"more:\n  <<: [{a: 9, d: 4}, *x]\n", "more:\n  <<: *x\n  <<: {a: 5}\n", "more:\n  \"<<\": *x\n", "more:\n  !!merge <<: *x\n", "more: *y\n",
		"more: &x *x\n", "more: &y [*y]\n", "more: &x 2\nlast: *x\n", "more: {*x : b}\n", "more:\n  <<: 3\n", "more:\n  <<:\n", "more: [*x, *x]\n",
		"more: *x # a\n", "more: *x b\n", "more: &x\n  a: *x\n", "more:\n  <<: {a: 1, <<: {c: 1}}\n  c: 2\n", "more:\n  - <<: *x\n    a: 3\n", "more: {<<: *x, a: 7}\n",
	})
	return base + use
}

// block is a mapping in block style.
func (g *generator) block(indent, entries, depth int) string {
	var out strings.Builder
	before := strings.Repeat(" ", indent)
	used := map[string]bool{}
	for range entries {
		key := pick(g, keys)
		if name := strings.Trim(key, `'"`); used[name] && !g.chance(30) {
			continue
		} else {
			used[name] = true
		}
		out.WriteString(before + key + g.colon())
		out.WriteString(g.value(indent, depth))
		if g.chance(6) {
			out.WriteString(pick(g, []string{" # a", "\n# a", "\n  # a", "\n\n", " \n", "\t", " #", "#a"}))
		}
		out.WriteString("\n")
	}
	return out.String()
}

func (g *generator) colon() string {
	if g.chance(4) {
		return pick(g, []string{":  ", " : ", ":\t", ":\n  ", ":", ": \t ", ": # a\n    "})
	}
	return ": "
}

// value follows a key at this column.
func (g *generator) value(indent, depth int) string {
	if g.chance(4) {
		return pick(g, tags) + " " + g.scalar()
	}
	if depth > 0 {
		switch g.IntN(8) {
		case 0, 1:
			return "\n" + strings.TrimSuffix(g.block(indent+pick(g, []int{1, 2, 2, 2, 4}), 1+g.IntN(3), depth-1), "\n")
		case 2, 3:
			return "\n" + g.list(indent+pick(g, []int{0, 0, 2}), depth-1)
		case 4:
			return g.flow(indent, depth)
		case 5:
			return g.shifted(pick(g, odd), indent)
		}
	}
	return g.scalar()
}

// shifted moves the lines after the first to where they are, or aren't, below a key at this column.
func (g *generator) shifted(value string, indent int) string {
	if g.chance(25) {
		return value
	}
	return strings.ReplaceAll(value, "\n", "\n"+strings.Repeat(" ", indent))
}

func (g *generator) list(indent, depth int) string {
	before := strings.Repeat(" ", indent)
	lines := make([]string, 1+g.IntN(3))
	for number := range lines {
		item := g.scalar()
		switch g.IntN(6) {
		case 0:
			item = strings.TrimSuffix(strings.TrimPrefix(g.block(indent+2, 1+g.IntN(2), depth-1), before+"  "), "\n")
		case 1:
			item = g.flow(indent, 1)
		case 2:
			item = pick(g, []string{"", "~", "null", "- a", "|\n" + before + "   a"})
		}
		lines[number] = before + pick(g, []string{"- ", "- ", "- ", "-   "}) + item
	}
	return strings.Join(lines, "\n")
}

// flow is a collection in brackets, on one line or on several with a closing bracket that may stand under the key.
func (g *generator) flow(indent, depth int) string {
	open, end := "[", "]"
	isMap := g.chance(50)
	if isMap {
		open, end = "{", "}"
	}
	items := make([]string, g.IntN(4))
	for number := range items {
		item := pick(g, []string{"a", "3", "'b c'", `"d"`, "yes", "~", "a.b/c: 1", "--port", "8080", "x y"})
		if depth > 0 && g.chance(25) {
			item = g.flow(indent, depth-1)
		}
		if isMap {
			item = fmt.Sprintf("%s%d%s%s", pick(g, []string{"a", "k", "é"}), number, pick(g, []string{": ", ": ", ": ", ":", " : "}), item)
		}
		items[number] = item
	}
	comma := pick(g, []string{"", "", ","})
	if g.chance(50) {
		return open + strings.Join(items, pick(g, []string{", ", ",", " , "})) + comma + end
	}
	column := func(columns []int) string {
		return "\n" + strings.Repeat(pick(g, []string{" ", " ", " ", " ", "\t"}), max(0, indent+pick(g, columns)))
	}
	var out strings.Builder
	out.WriteString(open)
	for number, item := range items {
		if number > 0 {
			out.WriteString(",")
		}
		out.WriteString(column([]int{2, 4, 4, 0, -2}) + item)
	}
	out.WriteString(comma + column([]int{0, 0, 2, -2, 1}) + end)
	return out.String()
}

func (g *generator) scalar() string {
	switch g.IntN(10) {
	case 0, 1:
		return "'" + strings.ReplaceAll(pick(g, quotable), "'", "''") + "'"
	case 2, 3:
		text := strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(pick(g, quotable))
		if g.chance(15) {
			text += pick(g, escapes)
		}
		return `"` + text + `"`
	case 4:
		return pick(g, []string{"web", "registry.test/web:1", "3", "true", "500m"})
	case 5:
		if g.chance(12) {
			return pick(g, special)
		}
	}
	return pick(g, plain)
}

// json is an object of JSON.
func (g *generator) json(depth int) string {
	entries := make([]string, g.IntN(4))
	for number := range entries {
		value := pick(g, []string{"1", "-1.50", "1e3", `"a"`, `"\u00e9\/"`, `"\ud83d\ude00"`, "true", "null", "[]", "[1, null]", `"a\tb"`, "1e999", "01", `'a'`, "yes"})
		if depth < 2 && g.chance(30) {
			value = g.json(depth + 1)
		}
		entries[number] = fmt.Sprintf("%s%q: %s", pick(g, []string{"", " ", "\n  ", "\n\t"}), pick(g, []string{"kind", "a", "b", "é"}), value)
	}
	return "{" + strings.Join(entries, ",") + pick(g, []string{"", "", "", "", "\n", ","}) + "}"
}

// damage changes something that people change by mistake.
func (g *generator) damage(text string) string {
	runes := []rune(text)
	if len(runes) == 0 {
		return text
	}
	at := g.IntN(len(runes))
	lines := strings.SplitAfter(text, "\n")
	line := g.IntN(len(lines))
	switch g.IntN(8) {
	case 0, 1:
		return string(runes[:at]) + pick(g, chunks) + string(runes[at:])
	case 2:
		return string(runes[:at]) + string(runes[at+1:])
	case 3:
		return string(runes[:at])
	case 4:
		lines[line] = strings.TrimPrefix(lines[line], pick(g, []string{" ", "  "}))
	case 5:
		lines[line] = pick(g, []string{" ", "  ", "\t", "# ", "- "}) + lines[line]
	case 6:
		lines[line] += lines[line]
	case 7:
		return strings.Replace(text, "\n", pick(g, []string{" \n", "\t\n", "\n\n", "\n \t\n", "", "\r"}), 1+g.IntN(2))
	}
	return strings.Join(lines, "")
}
