package cases

import (
	"maps"
	"slices"
	"strings"
)

// Hash stands for upstream's hash of a template.
const Hash = "$HASH"

// WithoutHash replaces the hash in every string and key.
func WithoutHash(value any, hash string) any {
	switch value := value.(type) {
	case string:
		return strings.ReplaceAll(value, hash, Hash)
	case []any:
		for i := range value {
			value[i] = WithoutHash(value[i], hash)
		}
	case map[string]any:
		keys := slices.Collect(maps.Keys(value))
		for _, key := range keys {
			item := WithoutHash(value[key], hash)
			delete(value, key)
			value[strings.ReplaceAll(key, hash, Hash)] = item
		}
	}
	return value
}
