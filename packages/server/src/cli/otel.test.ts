import assert from 'node:assert/strict'
import { test } from 'node:test'
import { runOtelCommand } from './otel.ts'
import { FRAMEWORKS } from './otel/frameworks.ts'

async function run(args: readonly string[], configured: { url: string | null; apiKey: string | null } = NOTHING) {
  const output: string[] = []
  const errors: string[] = []
  const code = await runOtelCommand(args, {
    configured,
    print: (line) => output.push(line),
    printError: (line) => errors.push(line),
  })
  return { code, output: output.join('\n'), errors: errors.join('\n') }
}

const NOTHING = { url: null, apiKey: null }
const SET = { url: 'https://traces.example/', apiKey: 'spoor_1' }

test('without a framework all are listed', async () => {
  const { code, output } = await run([])
  assert.equal(code, 0)
  for (const { name, title } of FRAMEWORKS) assert.match(output, new RegExp(`^  ${name} +${title}$`, 'm'))
})

test('every framework gets the address and the key, and nothing is left to be filled in', async () => {
  for (const { name } of FRAMEWORKS) {
    const { code, output } = await run([name], SET)
    assert.equal(code, 0)
    assert.match(output, /https:\/\/traces\.example(\/otlp|"$)/m, name)
    assert.match(output, /spoor_1/, name)
    assert.doesNotMatch(output, /YOUR_KEY|example\/\/|undefined/, name)
  }
})

test('options win over the environment; without a key it says how to make one', async () => {
  const { output } = await run(['Langfuse', '--url', 'http://10.0.0.1:1', '--key', 'spoor_2'], SET)
  assert.match(output, /LANGFUSE_BASE_URL="http:\/\/10\.0\.0\.1:1"/)
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
