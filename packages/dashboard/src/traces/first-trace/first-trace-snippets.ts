interface Snippet {
  readonly id: string
  readonly label: string
  readonly code: string
}

/** Valid JSON and valid Python. */
const TRACE = `{
  "name": "hello spoor",
  "metadata": {"env": "dev"},
  "steps": [{
    "name": "answer", "type": "llm", "model": "gpt-4o",
    "token_usage": {"input": 12, "output": 7},
    "messages": [{"role": "user", "content": [{"type": "text", "text": "Hello?"}]}]
  }]
}`

/** Snippets that send a first trace to the service at `origin`, ready to paste. */
export function firstTraceSnippets(origin: string): readonly Snippet[] {
  const curl = `curl '${origin}/v1/traces' \\
  -H "x-api-key: $SPOOR_API_KEY" \\
  -H 'content-type: application/json' \\
  -d '${TRACE}'`
  const javascript = `await fetch('${origin}/v1/traces', {
  method: 'POST',
  headers: {
    'x-api-key': process.env.SPOOR_API_KEY,
    'content-type': 'application/json',
  },
  body: JSON.stringify(${TRACE.replaceAll('\n', '\n  ')}),
})`
  const python = `import json, os, urllib.request

trace = ${TRACE}
headers = {
    "x-api-key": os.environ["SPOOR_API_KEY"],
    "content-type": "application/json",
}
request = urllib.request.Request(
    "${origin}/v1/traces", json.dumps(trace).encode(), headers
)
print(urllib.request.urlopen(request).read().decode())`
  return [
    { id: 'curl', label: 'curl', code: curl },
    { id: 'javascript', label: 'JavaScript', code: javascript },
    { id: 'python', label: 'Python', code: python },
  ]
}
