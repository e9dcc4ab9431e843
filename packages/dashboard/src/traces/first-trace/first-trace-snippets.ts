export interface Snippet {
  readonly id: string
  readonly label: string
  /** When to use it. */
  readonly intro: string
  /** Text to paste. It takes the address and the key from the environment. */
  readonly code: string
  /** The page of the guide, below docs/guide of the repository. */
  readonly guide: string
}

/** The ways to a first trace in the service at `origin`, the easiest first. */
export function firstTraceSnippets(origin: string): readonly Snippet[] {
  return [
    {
      id: 'demo',
      label: 'Demo',
      intro: 'In the folder of Spoor: a small agent answers some forty questions and records its runs.',
      code: 'npm run demo',
      guide: 'demo.md',
    },
    {
      id: 'import',
      label: 'Import',
      intro: 'A file with one trace per line, as JSON. Each line counts once, however often it is imported.',
      code: 'npx spoor import runs.jsonl',
      guide: 'import.md',
    },
    {
      id: 'otel',
      label: 'OpenTelemetry',
      intro: 'For an agent that is instrumented already. npx spoor connect prints what each framework needs.',
      code: `export OTEL_EXPORTER_OTLP_ENDPOINT="${origin}/otlp"
export OTEL_EXPORTER_OTLP_HEADERS="x-api-key=$SPOOR_API_KEY"
export OTEL_EXPORTER_OTLP_PROTOCOL="http/protobuf"`,
      guide: 'connect.md',
    },
    {
      id: 'typescript',
      label: 'TypeScript',
      intro: 'The recorder takes address and key from the environment.',
      code: `import { createRecorder } from '@spoor/sdk'

const spoor = createRecorder()
await spoor.trace('hello spoor', {}, async (trace) => {
  await trace.step('answer', { type: 'llm', model: 'gpt-4o' }, async (step) => {
    step.messages([{ role: 'user', content: 'Hello?' }]).usage({ input: 12, output: 7 })
  })
})
console.log(await spoor.flush())`,
      guide: 'recorder-typescript.md',
    },
    {
      id: 'python',
      label: 'Python',
      intro: 'The recorder takes address and key from the environment.',
      code: `import spoor

with spoor.trace("hello spoor"):
    with spoor.step("answer", type="llm", model="gpt-4o") as step:
        step.messages({"role": "user", "content": "Hello?"})
        step.usage(input=12, output=7)
print(spoor.flush())`,
      guide: 'recorder-python.md',
    },
    {
      id: 'curl',
      label: 'curl',
      intro: 'From anything that can send JSON over HTTP.',
      code: `curl '${origin}/v1/traces' \\
  -H "x-api-key: $SPOOR_API_KEY" \\
  -H 'content-type: application/json' \\
  -d '{
  "name": "hello spoor",
  "steps": [{
    "name": "answer", "type": "llm", "model": "gpt-4o",
    "token_usage": {"input": 12, "output": 7},
    "messages": [{"role": "user", "content": [{"type": "text", "text": "Hello?"}]}]
  }]
}'`,
      guide: 'sending-traces.md',
    },
  ]
}

/** What the snippets expect in the environment. */
export function environmentOf(origin: string, key: string): string {
  return `export SPOOR_URL=${origin} SPOOR_API_KEY=${key}`
}
