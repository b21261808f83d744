package schematest

import (
	"go/ast"
	"go/parser"
	"go/token"
	"strings"
)

// Comments holds what is written at types, by name, and at their members, by "Type.Member".
type Comments map[string]string

// ReadComments reads the comments of Go files.
func ReadComments(files ...string) (Comments, error) {
	c := Comments{}
	for _, name := range files {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		for _, d := range file.Decls {
			if g, ok := d.(*ast.GenDecl); ok {
				c.read(g)
			}
		}
	}
	return c, nil
}

func (c Comments) read(g *ast.GenDecl) {
	for _, spec := range g.Specs {
		t, ok := spec.(*ast.TypeSpec)
		if !ok {
			continue
		}
		c.add(t.Name.Name, t.Doc)
		if t.Doc == nil && !g.Lparen.IsValid() {
			c.add(t.Name.Name, g.Doc)
		}
		s, ok := t.Type.(*ast.StructType)
		if !ok {
			continue
		}
		for _, f := range s.Fields.List {
			for _, n := range f.Names {
				c.add(t.Name.Name+"."+n.Name, f.Comment)
			}
		}
	}
}

func (c Comments) add(key string, text *ast.CommentGroup) {
	if line := strings.Join(strings.Fields(text.Text()), " "); line != "" {
		c[key] = line
	}
}
