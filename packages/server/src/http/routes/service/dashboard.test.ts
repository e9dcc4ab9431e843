import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { createHttpWorld } from '../../test-world/http-world.test-support.ts'
import { listen, sendTo } from '../../test-world/transports.test-support.ts'

const directory = mkdtempSync(join(tmpdir(), 'spoor-dashboard-'))
after(() => rmSync(directory, { recursive: true, force: true }))
mkdirSync(join(directory, 'assets'))
writeFileSync(join(directory, 'index.html'), '<meta name="style-nonce" nonce="%STYLE_NONCE%"><p>page')
writeFileSync(join(directory, 'assets/main-x1.js'), 'plain')
writeFileSync(join(directory, 'assets/main-x1.js.br'), 'brotli')
writeFileSync(join(directory, 'assets/main-x1.js.gz'), 'gzip')
writeFileSync(join(directory, 'assets/main-x1.css'), 'small')
writeFileSync(join(directory, '.source-hash'), 'stamp')

async function openWorld(folder = directory) {
  let nonces = 0
  const { app } = createHttpWorld({ dashboard: { directory: folder, newNonce: () => `nonce-${++nonces}` } })
  const port = await listen(app)
  return (path: string, headers: Record<string, string> = {}, method = 'GET') =>
    sendTo(port, { method, path, headers: { host: 'x', ...headers } })
}

test('every path of the dashboard serves the page, each time with a new nonce and policy', async () => {
  const ask = await openWorld()
  for (const [at, path] of ['/', '/app', '/app/traces', '/app/traces/tr_1?q=%3Cb%3E', '/app/a/b/c'].entries()) {
    const nonce = `nonce-${at + 1}`
    const { status, headers, text } = await ask(path)
    assert.deepEqual(
      [status, headers['content-type'], headers['cache-control'], text],
      [200, 'text/html; charset=utf-8', 'no-store', `<meta name="style-nonce" nonce="${nonce}"><p>page`],
      path,
    )
    const policy = new Map(
      String(headers['content-security-policy'])
        .split('; ')
        .map((rule) => [rule.split(' ', 1)[0], rule]),
    )
    assert.equal(policy.get('default-src'), "default-src 'none'")
    assert.equal(policy.get('script-src'), "script-src 'self'")
    assert.equal(policy.get('style-src'), `style-src 'self' 'nonce-${nonce}'`)
    assert.equal(policy.get('connect-src'), "connect-src 'self'")
    assert.equal(policy.get('frame-ancestors'), "frame-ancestors 'none'")
    assert.ok(!/unsafe|https?:|\*/.test([...policy.values()].join()), path)
  }
  const head = await ask('/', {}, 'HEAD')
  assert.deepEqual([head.status, head.text], [200, ''])
})

test('the page does not shadow paths of the service', async () => {
  const ask = await openWorld()
  for (const [path, status] of [
    ['/metrics', 200],
    ['/healthz', 200],
    ['/openapi.json', 200],
    ['/v1/traces', 401],
    ['/v1/nothing', 404],
    ['/apps', 404],
    ['/index.html', 404],
  ] as const) {
    const answer = await ask(path)
    assert.equal(answer.status, status, path)
    assert.ok(!answer.text.includes('<p>page'), path)
  }
  const posted = await ask('/app/traces', {}, 'POST')
  assert.deepEqual([posted.status, posted.headers['allow']], [405, 'GET, HEAD'])
})

test('an asset is sent with the best compression that the browser accepts, and is cached forever', async () => {
  const ask = await openWorld()
  for (const [path, accepted, encoding, type, text] of [
    ['main-x1.js', 'gzip, deflate, br', 'br', 'application/javascript; charset=utf-8', 'brotli'],
    ['main-x1.js', 'gzip', 'gzip', 'application/javascript; charset=utf-8', 'gzip'],
    ['main-x1.js', '', undefined, 'application/javascript; charset=utf-8', 'plain'],
    ['main-x1.css', 'br', undefined, 'text/css; charset=utf-8', 'small'],
  ] as const) {
    const { status, headers, text: body } = await ask(`/assets/${path}`, { 'accept-encoding': accepted })
    assert.deepEqual(
      [status, headers['content-encoding'], headers['content-type'], headers['cache-control'], body],
      [200, encoding, type, 'public, max-age=31536000, immutable', text],
      path,
    )
    assert.equal(headers['x-content-type-options'], 'nosniff')
    if (path.endsWith('js')) assert.match(String(headers['vary']), /accept-encoding/i)
  }
})

test('files outside of the assets are not found', async () => {
  const ask = await openWorld()
  for (const path of [
    '/assets/',
    '/assets/gone.js',
    '/assets/../index.html',
    '/assets/%2e%2e/index.html',
    '/assets/..%2f.source-hash',
    '/assets/%00',
    '/.source-hash',
  ]) {
    const { status, headers, text } = await ask(path)
    assert.ok(status === 404 || status === 400 || status === 403, `${path}: ${status}`)
    assert.ok(!text.includes('page') && !text.includes('stamp'), path)
    assert.match(String(headers['content-type']), /^application\/problem\+json/, path)
  }
})

test('without a build, the page says how to build it', async () => {
  const ask = await openWorld(join(directory, 'nowhere'))
  const { status, headers, text } = await ask('/app/traces')
  assert.deepEqual([status, headers['cache-control']], [200, 'no-store'])
  assert.match(text, /not built/)
  assert.match(text, /npm run build/)
  assert.equal((await ask('/assets/main-x1.js')).status, 404)
})
