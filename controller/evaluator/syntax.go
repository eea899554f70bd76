package evaluator

import "github.com/prometheus/prometheus/promql/parser"

// syntax is a parser that remembers expressions: the engine wants a text for
// each evaluation, and changes the tree that it gets for it.
type syntax struct {
	parser.Parser
	// known are trees that nobody changes.
	known map[string]parser.Expr
}

// ParseExpr gives a new tree.
func (s *syntax) ParseExpr(text string) (parser.Expr, error) {
	if known, ok := s.known[text]; ok {
		if tree := copyOf(known); tree != nil {
			return tree, nil
		}
	}
	return s.Parser.ParseExpr(text)
}

// learn remembers the expressions of parts, and nothing else.
func (s *syntax) learn(parts map[string]*part) {
	s.known = make(map[string]parser.Expr, len(parts))
	for _, p := range parts {
		if tree, err := s.Parser.ParseExpr(p.query); err == nil {
			s.known[p.query] = tree
		}
	}
}

// copyOf copies a tree, or gives nil if something in it is not known here.
func copyOf(expr parser.Expr) parser.Expr {
	switch n := expr.(type) {
	case *parser.NumberLiteral:
		c := *n
		return &c
	case *parser.StringLiteral:
		c := *n
		return &c
	case *parser.VectorSelector:
		if n.OriginalOffsetExpr != nil {
			return nil
		}
		c := *n
		return &c
	case *parser.MatrixSelector:
		c := *n
		c.VectorSelector = copyOf(n.VectorSelector)
		return ifWhole(&c, n.RangeExpr == nil && c.VectorSelector != nil)
	case *parser.SubqueryExpr:
		c := *n
		c.Expr = copyOf(n.Expr)
		return ifWhole(&c, n.RangeExpr == nil && n.StepExpr == nil && n.OriginalOffsetExpr == nil && c.Expr != nil)
	case *parser.ParenExpr:
		c := *n
		c.Expr = copyOf(n.Expr)
		return ifWhole(&c, c.Expr != nil)
	case *parser.UnaryExpr:
		c := *n
		c.Expr = copyOf(n.Expr)
		return ifWhole(&c, c.Expr != nil)
	case *parser.BinaryExpr:
		c := *n
		c.LHS, c.RHS = copyOf(n.LHS), copyOf(n.RHS)
		return ifWhole(&c, c.LHS != nil && c.RHS != nil)
	case *parser.AggregateExpr:
		return copyOfAggregation(n)
	case *parser.Call:
		return copyOfCall(n)
	}
	return nil
}

func copyOfAggregation(n *parser.AggregateExpr) parser.Expr {
	c := *n
	c.Expr = copyOf(n.Expr)
	if n.Param != nil {
		c.Param = copyOf(n.Param)
	}
	return ifWhole(&c, c.Expr != nil && (n.Param == nil) == (c.Param == nil))
}

func copyOfCall(n *parser.Call) parser.Expr {
	c := *n
	c.Args = make(parser.Expressions, len(n.Args))
	for i, a := range n.Args {
		if c.Args[i] = copyOf(a); c.Args[i] == nil {
			return nil
		}
	}
	return &c
}

// ifWhole is the copy, or nil unless all below it was copied.
func ifWhole(c parser.Expr, ok bool) parser.Expr {
	if ok {
		return c
	}
	return nil
}
