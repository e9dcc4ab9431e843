import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addressOf, sourceOf } from './model-endpoint.ts'

const at = (url: string, model = 'm') => ({ url, model, apiKey: null })

test('an address is that of the operation or its base', () => {
  for (const [url, expected] of [
    ['https://models.example/v1', 'https://models.example/v1/embeddings'],
    ['https://models.example/v1/', 'https://models.example/v1/embeddings'],
    ['https://models.example/v1/embeddings', 'https://models.example/v1/embeddings'],
    ['https://models.example/v1/embeddings/', 'https://models.example/v1/embeddings'],
    ['http://127.0.0.1:8080', 'http://127.0.0.1:8080/embeddings'],
    [
      'https://models.example/deployments/x?api-version=2',
      'https://models.example/deployments/x/embeddings?api-version=2',
    ],
    ['https://models.example/my-embeddings', 'https://models.example/my-embeddings/embeddings'],
  ] as const) {
    assert.equal(addressOf(at(url), 'embeddings'), expected)
  }
  assert.equal(addressOf(at('http://x/v1'), 'chat/completions'), 'http://x/v1/chat/completions')
})

test('a source is identified by address and model, not by the spelling of the address', () => {
  const source = (url: string, model?: string) => sourceOf(at(url, model), 'embeddings')
  assert.match(source('http://x/v1'), /^[0-9a-f]{32}$/)
  assert.equal(source('http://x/v1'), source('http://x/v1/embeddings/'))
  assert.equal(new Set([source('http://x/v1'), source('http://y/v1'), source('http://x/v1', 'n')]).size, 3)
})
