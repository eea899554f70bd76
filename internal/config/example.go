package config

import _ "embed"

// ExampleName stands for the name of a file when the built-in example is used.
const ExampleName = "built-in example"

// Example is the built-in configuration: free public providers of four chains,
// enough to see the product work without an account anywhere.
//
//go:embed example.yml
var Example []byte
