# receiver.py: CRM_WEBHOOK_SECRET=whsec_… python3 receiver.py
import hashlib
import hmac
import json
import os
import re
import sys
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

TOLERANCE_S = 300
SECRETS = list(filter(None, map(os.environ.get, ("CRM_WEBHOOK_SECRET", "CRM_WEBHOOK_SECRET_NEXT"))))
if not SECRETS:
    sys.exit("CRM_WEBHOOK_SECRET is not set")


def is_genuine(raw: bytes, headers, secrets: list) -> bool:
    timestamp = headers.get("X-Service-Timestamp", "")
    if not re.fullmatch("[0-9]{1,12}", timestamp):
        return False
    if abs(time.time() - int(timestamp)) > TOLERANCE_S:
        return False
    signed = timestamp.encode() + b"." + raw
    expected = [b"sha256=" + hmac.new(s.encode(), signed, hashlib.sha256).hexdigest().encode() for s in secrets]
    received = [headers.get(name, "").encode() for name in ("X-Service-Signature", "X-Service-Signature-Next")]
    return any(hmac.compare_digest(r, e) for r in received for e in expected)


class Receiver(BaseHTTPRequestHandler):
    def do_POST(self):
        raw = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        if not is_genuine(raw, self.headers, SECRETS):
            self.send_response(401)
        else:
            delivery = json.loads(raw)
            print(delivery["delivery_id"], delivery["event"], flush=True)
            self.send_response(204)
        self.end_headers()


ThreadingHTTPServer(("127.0.0.1", int(os.environ.get("PORT", 8000))), Receiver).serve_forever()
