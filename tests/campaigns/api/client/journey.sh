# A campaign by curl alone: SITE and the organiser's TOKEN are given, and a folder cranfield.
# Leaves qrels, prels, intervals, events.

api() { curl --silent --show-error --fail-with-body -H "Authorization: Token $TOKEN" "$@"; }
field() { sed "s/.*\"$1\":\"\([^\"]*\)\".*/\1/"; }
campaigns=$SITE/api/v1/campaigns
at=$campaigns/journey

api --json '{"name": "Journey", "method": "A", "p": 0.8, "min_judgments": 0}' $campaigns/
api -F file=@cranfield/docs.jsonl $at/collection/
api -F file=@cranfield/topics.tsv $at/topics/
for run in cranfield/runs/*; do api -F "file=@$run" $at/runs/; done
api -X POST $at/open/
link=$(api --json '{"role": "assessor", "topics": ["1"]}' $at/invitations/ | field link)

# The invited person has a browser's cookies, an account, and then a token of their own.
page() { curl --silent --show-error --fail-with-body --cookie jar --cookie-jar jar -H "Referer: $SITE/" "$@"; }
mark() { sed -n 's/.*name="csrfmiddlewaretoken" value="\([^"]*\)".*/\1/p' | head -1; }
csrf=$(page "$link" | mark)
# As the page's script does: what stands behind the # is sent to no server by itself.
page -d "csrfmiddlewaretoken=$csrf&secret=${link#*#}" "$link"
page -d "csrfmiddlewaretoken=$csrf&username=grace&password=a+long+enough+secret" "$link" > joined.html
csrf=$(page "$SITE/tokens/" | mark)
page -d "csrfmiddlewaretoken=$csrf&act=make&name=curl&scopes=read&scopes=judge&days=7" "$SITE/tokens/" > made.html
grace=$(grep -o 'assess_[A-Za-z0-9]\{43\}' made.html | head -1)

# A first computation sends one event for all judgments before it.
for i in $(seq 120); do
  api "$at/priorities/?topic=1" | grep '"docno"' && break
  sleep 1
done

organiser=$TOKEN TOKEN=$grace
for i in $(seq 10); do
  docno=$(api "$at/next/?topic=1" | field docno)
  id=$(cat /proc/sys/kernel/random/uuid)
  api --json "{\"id\": \"$id\", \"topic\": \"1\", \"docno\": \"$docno\", \"grade\": $((i % 3))}" $at/judgments/
done
# Assessors see nothing of the runs.
curl --silent -o refused -w '%{http_code}' -H "Authorization: Token $TOKEN" $at/intervals/ | grep 403

TOKEN=$organiser
# The worker follows in a moment, or on a busy machine in several.
for i in $(seq 120); do
  api "$at/intervals/?topic=1" > intervals
  grep -q '"base":0\.0*[1-9]' intervals && break
  sleep 1
done
# A stream has no end of its own.
api --no-buffer --max-time 5 -H "Last-Event-ID: 0" $at/events/ > events || true
api $at/qrels/ > cranfield.qrels
api $at/prels/ > cranfield.prels
