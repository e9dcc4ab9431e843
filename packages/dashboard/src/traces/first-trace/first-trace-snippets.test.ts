import assert from 'node:assert/strict'
import { test } from 'node:test'
import { firstTraceSnippets } from './first-trace-snippets.ts'

test("each snippet sends the same JSON to the page's own service", () => {
  const snippets = firstTraceSnippets('https://spoor.example:8443')
  for (const { code, id } of snippets) {
    assert.ok(code.includes('https://spoor.example:8443/v1/traces'), id)
    const [json = ''] = /\{\s+"name": "hello spoor"[\s\S]*?\n {0,2}\}(?!\])/.exec(code) ?? []
    assert.deepEqual(Object.keys(JSON.parse(json) as object), ['name', 'metadata', 'steps'], id)
  }
})
