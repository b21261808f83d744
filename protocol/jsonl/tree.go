package jsonl

import (
	"context"
	"fmt"

	"github.com/dualagent/agent/core"
	"github.com/dualagent/agent/internal/v3"
)

// maxDepth is how many entries in a row get_tree tells. Each is nested in the one before, and JSON that is nested deeper has
// hardly a reader.
const maxDepth = 4000

func (c *codec) getTree(ctx context.Context, req *request, _ nothing) (any, error) {
	return withEntries(ctx, c, req, func(entries []core.Entry, leaf string) (any, error) {
		d, err := treeOf(entries)
		if err != nil {
			return nil, err
		}
		d.LeafID = orNull(leaf)
		if c.pi {
			return d, nil
		}
		return activeTreeData{treeData: d, ActiveLeafID: d.LeafID}, nil
	})
}

// treeOf puts entries under their parents. Parents come before their children.
func treeOf(entries []core.Entry) (treeData, error) {
	d := treeData{Tree: []*treeNode{}}
	nodes, depths := make(map[string]*treeNode, len(entries)), make(map[string]int, len(entries))
	for i := range entries {
		e := &entries[i]
		raw, err := v3.EncodeEntry(*e)
		if err != nil {
			return treeData{}, err
		}
		d.size += len(raw)
		node, depth := &treeNode{Entry: raw, Children: []*treeNode{}}, 1+depths[e.Parent]
		if depth > maxDepth {
			return treeData{}, fmt.Errorf("the session has more than %d entries in a row, too many for a tree; use get_entries", maxDepth)
		}
		if parent := nodes[e.Parent]; parent != nil {
			parent.Children = append(parent.Children, node)
		} else {
			d.Tree = append(d.Tree, node)
		}
		if e.ID != "" {
			nodes[e.ID], depths[e.ID] = node, depth
		}
		if target, label, ok := v3.Label(*e); ok {
			nodes[target].label(label, v3.FormatTime(e.Time))
		}
	}
	return d, nil
}

// label marks a node; "" takes its label away.
func (n *treeNode) label(text, at string) {
	switch {
	case n == nil: // the label of an entry that is gone
	case text == "":
		n.Label, n.LabelTimestamp = "", ""
	default:
		n.Label, n.LabelTimestamp = text, at
	}
}
