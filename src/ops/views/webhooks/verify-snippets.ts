/** Signature verification for receivers in other languages: the functions of docs/guide/webhooks.md, where tests run them. Pure. */

export interface Snippet {
  language: string;
  text: string;
}

const PYTHON = `def verify(secret, webhook_id, timestamp, signatures, body):
    if not timestamp.isdigit() or abs(time.time() - int(timestamp)) > 300:
        return False
    key = base64.b64decode(secret[6:]) if secret.startswith("whsec_") else secret.encode()
    signed = f"{webhook_id}.{timestamp}.".encode() + body
    expected = "v1," + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()
    return any(hmac.compare_digest(expected, given) for given in signatures.split(" "))`;

const GO = `func verify(secret, id, timestamp, signatures string, body []byte) bool {
	seconds, err := strconv.ParseInt(timestamp, 10, 64)
	if err != nil || time.Since(time.Unix(seconds, 0)).Abs() > 5*time.Minute {
		return false
	}
	key := []byte(secret)
	if strings.HasPrefix(secret, "whsec_") {
		if key, err = base64.StdEncoding.DecodeString(secret[len("whsec_"):]); err != nil {
			return false
		}
	}
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(id + "." + timestamp + "."))
	mac.Write(body)
	expected := []byte("v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil)))
	for _, given := range strings.Split(signatures, " ") {
		if hmac.Equal(expected, []byte(given)) {
			return true
		}
	}
	return false
}`;

export const VERIFY_SNIPPETS: readonly Snippet[] = [
  { language: "Python", text: PYTHON },
  { language: "Go", text: GO },
];
