import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test, type TestContext } from 'node:test'
import { launchBrowser } from '../lib/browser.ts'
import { servePath, upload } from '../lib/media/media.ts'
import { pngImage } from '../lib/media/sample-media.ts'
import { Service } from '../lib/service.ts'
import { SignedInPage } from '../lib/signed-in-page.ts'

const FLAG = { method: 'PATCH', headers: { 'content-type': 'application/json' }, body: '{"flagged":true}' }

test('a browser that has signed in follows the tail and marks traces, until it signs out', async (context) => {
  const browser = await launchBrowser()
  if (typeof browser === 'string') return context.skip(browser)
  context.after(() => browser.close())
  await using service = await Service.start()
  const browsing = await SignedInPage.open(browser, service)
  const { page } = browsing
  const { id } = (await service.client.postTrace({ name: 'first' })).json<{ id: string }>()
  await browsing.show(`<script>
    const seen = []
    const source = new EventSource('/v1/traces/tail')
    source.addEventListener('trace.committed', ({ data }) => seen.push(JSON.parse(data).id))
  </script>`)
  const fetched = (path: string, init: object) =>
    page.evaluate(async ([url, how]) => (await fetch(url, how)).status, [path, init] as const)
  await page.waitForFunction('source.readyState === EventSource.OPEN')
  const next = (await service.client.postTrace({ name: 'second' })).json<{ id: string }>()
  await page.waitForFunction('seen.length > 0')
  assert.equal(await page.evaluate('document.cookie'), '', 'no script can read the session')
  assert.deepEqual(await page.evaluate('seen'), [next.id])
  assert.equal(await fetched(`/v1/traces/${id}`, FLAG), 200)
  assert.equal(await fetched('/v1/session', { method: 'DELETE' }), 204)
  assert.equal(await fetched('/v1/session', {}), 401)
  // The stream ends, the browser reconnects once, and gives up.
  await page.waitForFunction('source.readyState === EventSource.CLOSED')
  assert.deepEqual(await page.context().cookies(), [])
})

/**
 * A page of somebody else, with whatever cookie the browser sends: shows the picture, reads, and sends a form, which
 * needs no CORS permission.
 */
const ATTEMPTS = `async ([service, picture, trace_id]) => {
  const image = new Image()
  await new Promise((done) => {
    image.onload = image.onerror = done
    image.src = picture
  })
  const body = new FormData()
  for (const [name, value] of Object.entries({ trace_id, kind: 'file', file: new Blob(['forged']) })) body.append(name, value)
  const ask = (path, init) => fetch(service + path, { credentials: 'include', ...init }).then(() => 'answered', () => 'refused')
  return {
    shown: image.naturalWidth > 0,
    sent: await ask('/v1/media/upload', { mode: 'no-cors', method: 'POST', body }),
    read: await ask('/v1/traces', { mode: 'no-cors' }),
    readWithCors: await ask('/v1/traces', {}),
  }
}`

/** A page of another service on this host; returns its port. */
async function serveAnotherPage(context: TestContext): Promise<number> {
  const server = createServer((_request, response) => response.setHeader('content-type', 'text/html').end('<p>another'))
  context.after(() => {
    server.close()
    server.closeAllConnections()
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return (server.address() as AddressInfo).port
}

test('pages of another port and of another site cannot use the session', async (context) => {
  const browser = await launchBrowser()
  if (typeof browser === 'string') return context.skip(browser)
  context.after(() => browser.close())
  await using service = await Service.start()
  const browsing = await SignedInPage.open(browser, service)
  const { page } = browsing
  const { id } = (await service.client.postTrace({ name: 'kept' })).json<{ id: string }>()
  const file = { content: pngImage(8, 6), type: 'image/png' }
  const { uri } = await upload(service.client, { trace_id: id, kind: 'image' }, file)
  const targets = JSON.stringify([service.url, service.url + servePath(uri), id])
  const port = await serveAnotherPage(context)
  // The first is of the same site, whatever its port: the cookie is sent.
  for (const host of ['127.0.0.1', 'localhost']) {
    await page.goto(`http://${host}:${port}/`)
    const found = await page.evaluate(`(${ATTEMPTS})(${targets})`)
    assert.deepEqual(found, { shown: false, sent: 'refused', read: 'refused', readWithCors: 'refused' }, host)
  }
  const { attachment_count } = (await service.client.get(`/v1/traces/${id}`)).json<{ attachment_count: number }>()
  assert.equal(attachment_count, 1)
  await browsing.show(`<img id="own" src="${servePath(uri)}">`)
  assert.equal(await page.evaluate('document.getElementById("own").naturalWidth'), 8)
})
