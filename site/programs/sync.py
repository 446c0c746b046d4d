import http.client, json, os, pathlib, sys, time, urllib.error, urllib.parse, urllib.request
from datetime import datetime, timezone

COPY = pathlib.Path("crm.json")
KINDS = {"contact": "contacts", "company": "companies", "deal": "deals"}
EVENTS = ",".join([f"{kind}.{what}" for kind in KINDS for what in ("created", "updated")] + ["contact.erased"])
try:
    URL, KEY = os.environ["CRM_URL"], os.environ["CRM_KEY"]
except KeyError as missing:
    sys.exit(f"Falta a variável de ambiente {missing.args[0]}")


def get(path, query):
    request = urllib.request.Request(f"{URL}/{path}?{urllib.parse.urlencode(query)}", headers={"X-API-Key": KEY})
    for attempt in range(10):
        wait = min(2 ** attempt, 60)
        try:
            with urllib.request.urlopen(request, timeout=60) as response:
                return json.load(response)
        except urllib.error.HTTPError as error:
            if error.code == 410:
                sys.exit(f"A última leitura tem mais de 30 dias: apague {COPY} e rode de novo")
            if error.code not in (408, 429) and error.code < 500:
                sys.exit(f"{path}: {error.read().decode()}")
            wait = int(error.headers.get("Retry-After") or wait)
        except (OSError, http.client.HTTPException):
            pass
        time.sleep(wait)
    sys.exit(f"{path}: sem resposta depois de 10 tentativas. A cópia ficou como estava")


def pages(path, **query):
    while True:
        page = get(path, {"limit": 200, **query})
        yield page
        if not page["meta"]["has_more"]:
            return
        query["cursor"] = page["meta"]["next_cursor"]
        query.pop("since", None)


def put(records, record):
    if record["archived_at"] is None:
        records[record["id"]] = record
    else:
        records.pop(record["id"], None)


if COPY.exists():
    copy = json.loads(COPY.read_text(encoding="utf-8"))
    read = 0
    for page in pages("api-v1-events", cursor=copy["cursor"], event_types=EVENTS):
        read += len(page["data"])
        for event in page["data"]:
            records = copy[KINDS[event["object_type"]]]
            if event["event"] == "contact.erased" or event["data"] is None:
                records.pop(event["object_id"], None)
            else:
                event["data"].pop("changed_fields", None)
                put(records, event["data"])
        copy["cursor"] = page["meta"]["next_cursor"]
    print(f"eventos lidos: {read}")
else:
    copy = {kind: {} for kind in KINDS.values()}
    for page in pages("api-v1-events", since=datetime.now(timezone.utc).isoformat()):
        copy["cursor"] = page["meta"]["next_cursor"]
    for kind in KINDS.values():
        for page in pages(f"api-v1-{kind}"):
            for record in page["data"]:
                put(copy[kind], record)
    print("primeira cópia")

new = COPY.with_suffix(".new")
new.write_text(json.dumps(copy, ensure_ascii=False), encoding="utf-8")
new.replace(COPY)
print(", ".join(f"{kind}: {len(copy[kind])}" for kind in KINDS.values()))
