import csv, http.client, io, json, os, sys, time, urllib.error, urllib.request

MATCH_BY = "external_id"
REQUIRED = ["external_id", "name"]
try:
    URL, KEY = os.environ["CRM_URL"], os.environ["CRM_KEY"]
except KeyError as missing:
    sys.exit(f"Falta a variável de ambiente {missing.args[0]}")


def call(path, body):
    request = urllib.request.Request(f"{URL}/{path}", json.dumps(body).encode(), method="POST", headers={
        "X-API-Key": KEY, "Content-Type": "application/json"})
    for attempt in range(8):
        wait = min(2 ** attempt, 60)
        try:
            with urllib.request.urlopen(request, timeout=60) as response:
                return json.load(response)
        except urllib.error.HTTPError as error:
            if error.code not in (408, 429) and error.code < 500:
                sys.exit(f"{path}: {error.read().decode()}")
            wait = int(error.headers.get("Retry-After") or wait)
        except (OSError, http.client.HTTPException):
            pass
        time.sleep(wait)
    return None


def upsert(resource, rows, match_by):
    ids, total = {}, {"created": 0, "updated": 0, "failed": 0}
    for start in range(0, len(rows), 100):
        part = rows[start:start + 100]
        reply = call(f"api-v1-{resource}/batch", {"items": [
            {"op": "upsert", "match_by": match_by, "data": data} for _, data in part]})
        if reply is None:
            line = part[0][0] if resource == "contacts" else first
            sys.exit(f"A API não responde. Continue depois com: import_csv.py {sys.argv[1]} {line}")
        for (line, data), result in zip(part, reply["results"]):
            if "error" in result:
                error = result["error"]
                fields = [f"{detail['field']}: {detail['message']}" for detail in error.get("details", [])]
                what = "Linha" if resource == "contacts" else "Empresa da linha"
                print(f"{what} {line} não entrou: {error['message']} {' '.join(fields)}".strip())
                continue
            ids[data.get("external_id")] = result["id"]
            if resource == "contacts" and line in without_company:
                print(f"Linha {line} entrou sem empresa: {without_company[line]}")
        total = {name: total[name] + count for name, count in reply["summary"].items()}
    print(f"{resource}: novos {total['created']}, existentes {total['updated']}, com erro {total['failed']}")
    return ids


if len(sys.argv) < 2 or not all(line.isdigit() for line in sys.argv[2:]):
    sys.exit("Uso: import_csv.py contacts.csv [primeira linha]")
first = int(sys.argv[2]) if len(sys.argv) > 2 else 2
try:
    with open(sys.argv[1], "rb") as file:
        content = file.read()
except OSError as error:
    sys.exit(f"Não foi possível ler {sys.argv[1]}: {error.strerror}")
try:
    text = content.decode("utf-8-sig")
except UnicodeDecodeError:
    text = content.decode("cp1252", "replace")
separator = ";" if ";" in text.partition("\n")[0] else ","
reader = csv.DictReader(io.StringIO(text, newline=""), delimiter=separator, restval="")
columns = [name.strip() for name in reader.fieldnames or []]
reader.fieldnames = columns
missing = [name for name in REQUIRED if name not in columns]
if missing:
    sys.exit(f"Faltam colunas: {', '.join(missing)}. O arquivo tem: {', '.join(columns) or 'nenhuma'}")

rows = [(reader.line_num, row) for row in reader]
rows = [(line, row) for line, row in rows if line >= first and any(row.values())]

companies = {row["company_id"]: (line, {"external_id": row["company_id"], "name": row["company"]})
             for line, row in rows if row.get("company_id") and row.get("company")}
company_ids = upsert("companies", list(companies.values()), "external_id")

contacts, without_company = [], {}
for line, row in rows:
    data = {name: row[name] for name in ("external_id", "name", "email", "phone") if row.get(name)}
    if row.get("company_id") in company_ids:
        data["company_id"] = company_ids[row["company_id"]]
    elif row.get("company_id") or row.get("company"):
        absent = [name for name in ("company_id", "company") if not row.get(name)]
        without_company[line] = f"falta {absent[0]}" if absent else "a empresa não entrou"
    contacts.append((line, data))
upsert("contacts", contacts, MATCH_BY)
