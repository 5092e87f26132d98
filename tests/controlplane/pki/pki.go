// Package pki issues the certificates of a control plane that lives for a few minutes.
package pki

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"os"
	"time"
)

const lifetime = 30 * 24 * time.Hour

// Authority signs certificates.
type Authority struct {
	certificate *x509.Certificate
	key         *ecdsa.PrivateKey
	serial      int64
	// PEM is its own certificate.
	PEM []byte
}

// Pair is a certificate and its private key, as PEM.
type Pair struct{ Certificate, Key []byte }

// Subject is the subject of a certificate. Hosts are names and addresses of a server.
type Subject struct {
	Name   string
	Groups []string
	Hosts  []string
}

// NewAuthority creates an authority with a new key.
func NewAuthority() (*Authority, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "changeover-control-plane"},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(lifetime),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		return nil, err
	}
	certificate, err := x509.ParseCertificate(der)
	if err != nil {
		return nil, err
	}
	return &Authority{certificate: certificate, key: key, serial: 1, PEM: block("CERTIFICATE", der)}, nil
}

// Issue signs a certificate for a server or a client.
func (a *Authority) Issue(subject Subject) (Pair, error) {
	key, keyPEM, err := newKey()
	if err != nil {
		return Pair{}, err
	}
	a.serial++
	template := &x509.Certificate{
		SerialNumber: big.NewInt(a.serial), Subject: pkix.Name{CommonName: subject.Name, Organization: subject.Groups},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(lifetime), KeyUsage: x509.KeyUsageDigitalSignature,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth, x509.ExtKeyUsageServerAuth},
	}
	for _, host := range subject.Hosts {
		if address := net.ParseIP(host); address != nil {
			template.IPAddresses = append(template.IPAddresses, address)
		} else {
			template.DNSNames = append(template.DNSNames, host)
		}
	}
	der, err := x509.CreateCertificate(rand.Reader, template, a.certificate, key.Public(), a.key)
	if err != nil {
		return Pair{}, fmt.Errorf("certificate of %s: %w", subject.Name, err)
	}
	return Pair{Certificate: block("CERTIFICATE", der), Key: keyPEM}, nil
}

// KeyPair creates a private key and its public key, as PEM; one signs service account tokens.
func KeyPair() (private, public []byte, err error) {
	key, private, err := newKey()
	if err != nil {
		return nil, nil, err
	}
	der, err := x509.MarshalPKIXPublicKey(key.Public())
	if err != nil {
		return nil, nil, err
	}
	return private, block("PUBLIC KEY", der), nil
}

// Write writes the pair to two files that only the owner can read.
func (p Pair) Write(certificate, key string) error {
	if err := os.WriteFile(certificate, p.Certificate, 0o600); err != nil {
		return err
	}
	return os.WriteFile(key, p.Key, 0o600)
}

func newKey() (*ecdsa.PrivateKey, []byte, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, nil, err
	}
	der, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		return nil, nil, err
	}
	return key, block("EC PRIVATE KEY", der), nil
}

func block(kind string, der []byte) []byte {
	return pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der})
}
