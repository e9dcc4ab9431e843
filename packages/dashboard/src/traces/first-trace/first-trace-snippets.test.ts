import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { environmentOf, firstTraceSnippets } from './first-trace-snippets.ts'

const ORIGIN = 'https://spoor.example:8443'
const codeOf = (id: string) => firstTraceSnippets(ORIGIN).find((snippet) => snippet.id === id)?.code ?? ''

test('the snippets name the service of the page, and pages of the guide that exist', () => {
  assert.equal(environmentOf(ORIGIN, 'spoor_a'), `export SPOOR_URL=${ORIGIN} SPOOR_API_KEY=spoor_a`)
  assert.ok(codeOf('curl').includes(`'${ORIGIN}/v1/traces'`))
  assert.ok(codeOf('otel').includes(`"${ORIGIN}/otlp"`))
  for (const { guide } of firstTraceSnippets(ORIGIN)) {
    assert.ok(existsSync(new URL(`../../../../../docs/guide/${guide}`, import.meta.url)), guide)
  }
})

test('the body for curl is JSON, and the recorders are used as in the readme, where tests run them', () => {
  const body = /-d '([^']+)'/.exec(codeOf('curl'))?.[1] ?? ''
  assert.deepEqual(Object.keys(JSON.parse(body) as object), ['name', 'steps'])
  const readme = readFileSync(new URL('../../../../../README.md', import.meta.url), 'utf8')
  const calls = (text: string) => new Set(text.match(/\b(spoor|trace|step)\.\w+\(|\.usage\(|createRecorder\(/g))
  for (const id of ['typescript', 'python']) {
    for (const call of calls(codeOf(id))) assert.ok(readme.includes(call), `${id}: ${call}`)
  }
})
