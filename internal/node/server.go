package node

// Server is a process that answers JSON-RPC, which all the nodes do.
type Server struct {
	*Process
	RPC
}

// Ask calls a method and fails the test if the node does not give a result.
func (s *Server) Ask(result any, method string, params ...any) {
	s.tb.Helper()
	if err := s.Call(s.tb.Context(), result, method, params...); err != nil {
		s.tb.Fatalf("node %s: %v", s.spec.Name, err)
	}
}
