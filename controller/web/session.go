package web

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"net/http"
	"time"
)

const (
	// sessionName is that of the cookie.
	sessionName = "understudy_session"
	// sessionTime is how long a session lasts.
	sessionTime = 8 * time.Hour
)

// sessions tell whose browser has shown the admin token. The cookie holds when
// the session ends, sealed with a key of this process: neither the token nor
// anything that outlives a restart.
type sessions struct {
	key [sha256.Size]byte
	// secure: cookies are for TLS only, whatever this listener speaks.
	secure bool
	now    func() time.Time
}

func newSessions(secure bool, now func() time.Time) sessions {
	s := sessions{secure: secure, now: now}
	// It never fails, by its documentation.
	_, _ = rand.Read(s.key[:])
	return s
}

// begin gives the browser a session.
func (s *sessions) begin(w http.ResponseWriter, r *http.Request) {
	http.SetCookie(w, s.cookie(r, s.seal(s.now().Add(sessionTime)), int(sessionTime.Seconds())))
}

// end takes it away.
func (s *sessions) end(w http.ResponseWriter, r *http.Request) {
	http.SetCookie(w, s.cookie(r, "", -1))
}

func (s *sessions) cookie(r *http.Request, value string, maxAge int) *http.Cookie {
	// Without a path it would hold below the page that sets it only.
	return &http.Cookie{
		Name: sessionName, Value: value, Path: "/", MaxAge: maxAge,
		HttpOnly: true, Secure: s.secure || r.TLS != nil, SameSite: http.SameSiteStrictMode,
	}
}

// valid says whether a request belongs to a session that has not ended.
func (s *sessions) valid(r *http.Request) bool {
	c, err := r.Cookie(sessionName)
	if err != nil {
		return false
	}
	sealed, err := base64.RawURLEncoding.DecodeString(c.Value)
	if err != nil || len(sealed) != 8+sha256.Size {
		return false
	}
	end := time.Unix(int64(binary.BigEndian.Uint64(sealed)), 0)
	return hmac.Equal([]byte(c.Value), []byte(s.seal(end))) && s.now().Before(end)
}

// seal is the value of a cookie that ends then.
func (s *sessions) seal(end time.Time) string {
	text := binary.BigEndian.AppendUint64(nil, uint64(end.Unix()))
	mac := hmac.New(sha256.New, s.key[:])
	_, _ = mac.Write(text)
	return base64.RawURLEncoding.EncodeToString(mac.Sum(text))
}
