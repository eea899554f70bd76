package main

// inTurn lets each reload wait for the one before, whoever asks: of two at a time,
// the one that read the files first could otherwise be the last to put in force what
// it read.
func inTurn(reload func() error) func() error {
	turn := make(chan struct{}, 1)
	return func() error {
		turn <- struct{}{}
		defer func() { <-turn }()
		return reload()
	}
}
