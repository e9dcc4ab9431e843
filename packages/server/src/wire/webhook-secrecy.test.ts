import assert from 'node:assert/strict'
import { test } from 'node:test'
import { shownUrl } from './webhook-secrecy.ts'

test('a URL is reduced to scheme, host and port, and whether more follows', () => {
  const shown = (url: string) => shownUrl(url, false)
  assert.equal(shown('https://hooks.example.com/services/T0/B0/secret'), 'https://hooks.example.com/…')
  assert.equal(shown('https://hooks.example.com:8443/?token=secret'), 'https://hooks.example.com:8443/…')
  assert.equal(shown('http://[2001:db8::1]:80/x'), 'http://[2001:db8::1]/…')
  assert.equal(shown('https://hooks.example.com'), 'https://hooks.example.com/')
  assert.equal(shownUrl('https://hooks.example.com/?token=secret', true), 'https://hooks.example.com/?token=secret')
})
