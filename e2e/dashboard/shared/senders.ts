import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openDashboard, shareService } from '../lib.ts'

const start = shareService()

type Attributes = Readonly<Record<string, string | number>>

/** Spans of one trace, each with these attributes. */
function exported(traceId: string, scope: { name: string; version: string }, spans: readonly Attributes[]) {
  const now = BigInt(Date.now()) * 1_000_000n
  const toValue = (value: string | number) =>
    typeof value === 'number' ? { intValue: String(value) } : { stringValue: value }
  return {
    resourceSpans: [
      {
        scopeSpans: [
          {
            scope,
            spans: spans.map((attributes, at) => ({
              traceId: traceId.padStart(32, '0'),
              spanId: String(at + 1).padStart(16, '0'),
              ...(at === 0 ? {} : { parentSpanId: '1'.padStart(16, '0') }),
              name: `span ${at}`,
              startTimeUnixNano: String(now),
              endTimeUnixNano: String(now + 1_000_000n),
              attributes: Object.entries(attributes).map(([key, value]) => ({ key, value: toValue(value) })),
            })),
          },
        ],
      },
    ],
  }
}

const HTTP = { 'http.request.method': 'GET', 'url.full': 'https://example.org/a' }
const AGENT = { 'my.prompt': 'How warm is it in Oslo?', 'my.prompt_tokens': 12 }

test('the list names a sender that was not understood; Settings say what to set; the note can be dismissed', async (context) => {
  const started = await start(context)
  if (started === null) return
  const { browser, service } = started
  const send = async (...of: Parameters<typeof exported>) => {
    const body = JSON.stringify(exported(...of))
    const answer = await service.client.call({
      method: 'POST',
      path: '/v1/traces',
      headers: { 'content-type': 'application/json' },
      body,
    })
    assert.equal(answer.status, 200, answer.text)
  }
  const plain = { name: '@opentelemetry/instrumentation-http', version: '0.57' }
  await send('a', plain, [HTTP, HTTP, HTTP, HTTP])
  const { page, problems } = await openDashboard(browser, service, '/app/traces')
  const note = page.getByText('Spoor did not understand')
  await page.getByText('span 0').first().waitFor()
  await page.goto(`${service.url}/app/settings?tab=senders`)
  const senders = page.getByRole('list', { name: 'Senders' }).locator('> li')
  await senders.getByText('all understood').waitFor()
  await page.goto(`${service.url}/app/traces`)
  await page.getByText('span 0').first().waitFor()
  assert.equal(await note.count(), 0)

  await send('b', { name: 'my-agent', version: '1.0' }, [AGENT, HTTP])
  await page.reload()
  await note.getByText('my-agent 1.0').waitFor()
  assert.match((await note.textContent()) ?? '', /1 of 2 spans/)
  await page.getByRole('link', { name: 'See what to set' }).click()
  const own = senders.filter({ hasText: 'my-agent' })
  await own.getByText('Not understood').waitFor()
  const advice = own.getByRole('list', { name: 'What to set' }).getByRole('listitem')
  assert.deepEqual(
    (await advice.allTextContents()).map((text) => /^1×(\S+):/.exec(text)?.[1]),
    ['my.prompt', 'my.prompt_tokens'],
  )
  await own.getByText('gen_ai.operation.name').waitFor()
  assert.equal(await page.getByText('How warm').count(), 0)
  assert.equal(await note.count(), 0)

  await page.getByRole('link', { name: 'About' }).click()
  await page.getByRole('button', { name: 'Dismiss the note about my-agent 1.0' }).click()
  await note.waitFor({ state: 'detached' })
  await send('c', { name: 'my-agent', version: '1.1' }, [AGENT])
  await page.reload()
  await note.getByText('my-agent 1.1').waitFor()
  assert.deepEqual(problems, [])
})
