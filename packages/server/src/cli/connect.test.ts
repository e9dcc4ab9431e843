import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type SendApiRequest, ToolError } from '../mcp/api.ts'
import { runConnectCommand } from './connect.ts'
import { FRAMEWORKS } from './connect/frameworks.ts'

type Configured = { readonly url: string | null; readonly apiKey: string | null }

const NOTHING: Configured = { url: null, apiKey: null }
const SET: Configured = { url: 'https://traces.example/', apiKey: 'spoor_1' }

/** Without `answers`, nothing may be sent. Each pause takes the next answer. */
async function run(args: readonly string[], configured = NOTHING, answers: readonly unknown[] | null = null) {
  const [output, errors, targets]: string[][] = [[], [], []]
  let at = 0
  const send = (url: string, key: string): SendApiRequest => {
    assert.ok(answers !== null, 'nothing is sent')
    targets!.push(`${url} ${key}`)
    return async () => {
      const answer = answers[Math.min(at, answers.length - 1)]
      if (answer instanceof Error) throw answer
      return { status: 200, body: JSON.stringify({ traces: answer }), retryAfter: null }
    }
  }
  const code = await runConnectCommand(args, {
    configured,
    isTerminal: answers !== null,
    send,
    pause: async () => void at++,
    print: (line) => output!.push(line),
    printError: (line) => errors!.push(line),
  })
  return { code, output: output!.join('\n'), errors: errors!.join('\n'), targets, pauses: at }
}

test('without a framework all are listed', async () => {
  const { code, output } = await run([])
  assert.equal(code, 0)
  for (const { name, title } of FRAMEWORKS)
    assert.ok(
      output.split('\n').some((line) => line.startsWith(`  ${name} `) && line.endsWith(title)),
      name,
    )
})

test('every framework gets the address and the key, and nothing is left to be filled in', async () => {
  for (const { name } of FRAMEWORKS) {
    const { code, output } = await run([name], SET)
    assert.equal(code, 0)
    assert.match(output, /https:\/\/traces\.example(\/otlp|["']\)?$)/m, name)
    assert.match(output, /spoor_1/, name)
    assert.doesNotMatch(output, /YOUR_KEY|example\/\/|undefined|\{(url|key)\}/, name)
  }
})

test('options win over the environment; without a key it says how to make one', async () => {
  const { output } = await run(['Langfuse', '--url', 'http://10.0.0.1:1', '--key', 'spoor_2'], SET)
  // By version and language, SDKs of Langfuse read the address from different variables.
  for (const name of ['LANGFUSE_BASE_URL', 'LANGFUSE_BASEURL', 'LANGFUSE_HOST']) {
    assert.ok(output.includes(`${name}="http://10.0.0.1:1"`), name)
  }
  assert.match(output, /LANGFUSE_SECRET_KEY="spoor_2"/)
  const bare = await run(['ai-sdk'])
  assert.match(bare.output, /OTEL_EXPORTER_OTLP_ENDPOINT="http:\/\/127\.0\.0\.1:4319\/otlp"/)
  assert.match(bare.output, /x-api-key=YOUR_KEY[^]*npx spoor keys create --name my-agent --scopes ingest/)
})

test('a framework that is not known, two of them and a wrong address are wrong usage', async () => {
  const unknown = await run(['langchian'])
  assert.equal(unknown.code, 2)
  assert.match(unknown.errors, /knows no "langchian"; it knows ai-sdk, /)
  assert.equal((await run(['ai-sdk', 'codex'])).code, 2)
  assert.equal((await run(['ai-sdk', '--url', 'localhost'])).code, 2)
  assert.equal((await run(['--help'])).code, 0)
})

const OLD = { id: 'tr_1', name: 'old', step_count: 9 }
const NEW = { id: 'tr_2', name: 'plan', step_count: 1 }

test('in a terminal it waits for a trace that is new, and prints its address', async () => {
  const { code, output, errors, targets, pauses } = await run(['codex'], SET, [[OLD], [OLD], [NEW]])
  assert.deepEqual([code, targets, pauses], [0, ['https://traces.example spoor_1'], 2])
  assert.match(errors, /Waiting for the first trace/)
  assert.match(output, /received "plan" \(1 step\): https:\/\/traces\.example\/app\/traces\/tr_2$/)
  const first = await run(['codex'], SET, [[], [{ ...NEW, step_count: 2 }]])
  assert.match(first.output, /received "plan" \(2 steps\)/)
  const other = await run(['codex', '--key', 'spoor_2'], SET, [[OLD], [NEW]])
  assert.deepEqual(other.targets, ['https://traces.example spoor_1'], 'the key of an agent may only send')
  assert.equal((await run(['codex', '--no-check'], SET, [[OLD], [NEW]])).pauses, 0)
  assert.equal((await run(['codex'], NOTHING, [[OLD], [NEW]])).pauses, 0)
})

test('no trace, a key that may not look and no service are failures that say what to do', async () => {
  const none = await run(['codex', '--check'], SET, [[OLD]])
  assert.deepEqual([none.code, none.pauses], [1, 600])
  assert.match(none.errors, /No trace came\. .*opentelemetry\.md/)
  const refused = await run(['codex'], SET, [new ToolError('The key lacks the scope read.')])
  assert.equal(refused.code, 1)
  assert.match(refused.errors, /Cannot look for it: The key lacks the scope read/)
  assert.equal((await run(['codex', '--check'], NOTHING, [])).code, 2)
})
