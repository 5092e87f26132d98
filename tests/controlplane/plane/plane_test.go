package plane

import (
	"net"
	"strings"
	"testing"
)

func TestABusyPortIsNamed(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	busy := listener.Addr().(*net.TCPAddr).Port
	err = CheckPorts(busy-1, 3)
	if err == nil || !strings.Contains(err.Error(), "of 127.0.0.1 is busy") || !strings.Contains(err.Error(), "PORT=") {
		t.Errorf("%v", err)
	}
	if err := listener.Close(); err != nil {
		t.Fatal(err)
	}
	if err := CheckPorts(busy, 1); err != nil {
		t.Errorf("the port is free: %v", err)
	}
}
