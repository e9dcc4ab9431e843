interface Snippet {
  readonly id: string
  readonly label: string
  readonly code: string
}

/** What sends a first trace to the service at `origin`, ready to be pasted. */
export function firstTraceSnippets(origin: string): readonly Snippet[] {
  const trace = {
    name: 'hello spoor',
    metadata: { env: 'dev' },
    steps: [
      {
        name: 'answer',
        type: 'llm',
        model: 'gpt-4o',
        token_usage: { input: 12, output: 7 },
        messages: [{ role: 'user', content: [{ type: 'text', text: 'Hello?' }] }],
      },
    ],
  }
  const json = JSON.stringify(trace, null, 2)
  return [
    {
      id: 'curl',
      label: 'curl',
      code: `curl '${origin}/v1/traces' \\
  -H "x-api-key: $SPOOR_API_KEY" \\
  -H 'content-type: application/json' \\
  -d '${json}'`,
    },
    {
      id: 'javascript',
      label: 'JavaScript',
      code: `await fetch('${origin}/v1/traces', {
  method: 'POST',
  headers: {
    'x-api-key': process.env.SPOOR_API_KEY,
    'content-type': 'application/json',
  },
  body: JSON.stringify(${json.replaceAll('\n', '\n  ')}),
})`,
    },
    {
      id: 'python',
      label: 'Python',
      code: `import json, os, urllib.request

trace = ${json}

request = urllib.request.Request(
    "${origin}/v1/traces",
    data=json.dumps(trace).encode(),
    headers={
        "x-api-key": os.environ["SPOOR_API_KEY"],
        "content-type": "application/json",
    },
)
print(urllib.request.urlopen(request).read().decode())`,
    },
  ]
}
