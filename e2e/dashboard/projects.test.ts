import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { launchBrowser } from '../lib/browser.ts'
import type { Client } from '../lib/client.ts'
import { createKey, createProject, firstProjectId } from '../lib/projects.ts'
import { Service } from '../lib/service.ts'
import { openDashboard } from './lib.ts'

const browser = await launchBrowser()
after(async () => typeof browser !== 'string' && (await browser.close()))

async function record(client: Client, name: string): Promise<string> {
  return (await client.postTrace({ name })).json<{ id: string }>().id
}

test('two tabs of one browser show two projects, and each stays in its own', async (context) => {
  if (typeof browser === 'string') return context.skip(browser)
  await using service = await Service.start()
  const { page, problems } = await openDashboard(browser, service, '/app/traces?status=error')
  await page.waitForURL(/\/app\/p\/proj_\w+\/traces\?status=error$/)
  const own = /proj_\w+/.exec(page.url())?.[0] ?? ''
  const other = await createProject(service.client, 'second')
  const there = service.client.as(other.key)
  const tracedThere = await record(there, 'a run over there')
  await record(service.client, 'a run here')

  const [tab] = await Promise.all([
    page.waitForEvent('popup'),
    page.evaluate(`void window.open('/app/p/${other.id}/traces/${tracedThere}')`),
  ])
  await tab.getByRole('heading', { name: 'a run over there', level: 1 }).waitFor()
  await tab.getByRole('link', { name: 'Traces' }).first().click()
  await tab.getByRole('link', { name: 'a run over there' }).waitFor()
  assert.equal(new URL(tab.url()).pathname, `/app/p/${other.id}/traces`)

  // The stream of each tab is that of its project.
  await page.goto(`${service.url}/app/p/${own}/traces`)
  await page.getByRole('link', { name: 'a run here' }).waitFor()
  await record(there, 'a later run over there')
  await tab.getByRole('link', { name: 'a later run over there' }).waitFor()
  await record(service.client, 'a later run here')
  await page.getByRole('link', { name: 'a later run here' }).waitFor()
  assert.equal(await page.getByRole('link', { name: /over there/ }).count(), 0)
  assert.equal(await tab.getByRole('link', { name: /run here/ }).count(), 0)

  // The menu opens the other project in this tab and leaves the other tab alone.
  await page.getByRole('button', { name: /^Project/ }).click()
  await page.getByRole('menuitemradio', { name: 'second' }).click()
  await page.waitForURL(new RegExp(`/app/p/${other.id}/traces$`))
  await page.getByRole('link', { name: 'a later run over there' }).waitFor()
  await page.goBack()
  await page.getByRole('link', { name: 'a later run here' }).waitFor()
  assert.deepEqual(problems, [])
})

test('Ctrl-K goes to a screen, a trace, an id, a search and another project, by keys alone', async (context) => {
  if (typeof browser === 'string') return context.skip(browser)
  await using service = await Service.start()
  const other = await createProject(service.client, 'second')
  const traceId = await record(service.client, 'book a flight')
  const { page, problems } = await openDashboard(browser, service, '/app/metrics')
  const field = page.getByRole('combobox', { name: 'Screen, action, name, id or text' })
  const open = async () => {
    await page.keyboard.press('Control+k')
    await field.waitFor()
  }
  const go = async (text: string, first: string) => {
    await open()
    await page.keyboard.type(text)
    const option = page.getByRole('option').first()
    await option.filter({ hasText: first }).waitFor()
    assert.equal(await option.getAttribute('aria-selected'), 'true')
    assert.equal(await field.getAttribute('aria-activedescendant'), await option.getAttribute('id'))
    await page.keyboard.press('Enter')
    await field.waitFor({ state: 'detached' })
  }
  await page.getByRole('heading', { name: 'Metrics', level: 1 }).waitFor()
  await go('clust', 'Clusters')
  await page.waitForURL(/\/clusters$/)
  await go('flight', 'book a flight')
  await page.waitForURL(new RegExp(`/traces/${traceId}`))
  await go('an unusual word', 'an unusual word')
  await page.waitForURL(/\/traces\?q=an/)
  // It opens from a field too.
  await page.keyboard.press('/')
  await go(traceId, traceId)
  await page.waitForURL(new RegExp(`/traces/${traceId}`))
  // An id that names nothing is searched for; Escape closes the list and leaves the screen as it was.
  await go('session-404', 'session-404')
  await page.waitForURL(/\/traces\?q=session-404/)
  await open()
  await page.keyboard.press('Escape')
  await field.waitFor({ state: 'detached' })
  await page.keyboard.press('?')
  const help = page.getByRole('dialog')
  await help.getByText('Ctrl+k').waitFor()
  const titles = await help.getByRole('heading', { level: 3 }).allTextContents()
  assert.deepEqual(titles, ['Trace list', 'Time range', 'Global', 'Help'])
  await page.keyboard.press('Escape')
  await help.waitFor({ state: 'detached' })
  await go('second', 'second')
  await page.waitForURL(new RegExp(`/app/p/${other.id}/traces$`))
  assert.deepEqual(problems, [])
})

test('Ctrl-K has actions without a key, for those who may, and finds things by a part of their names', async (context) => {
  if (typeof browser === 'string') return context.skip(browser)
  await using service = await Service.start()
  const { client } = service
  const trace = { name: 'book a flight', session_id: 'chat-of-ana', user_id: 'ana-maria' }
  const { id } = (await client.postTrace(trace)).json<{ id: string }>()
  const own = await firstProjectId(client)
  const post = (path: string, body: object) =>
    client.call({ method: 'POST', path, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) })
  await post('/v1/dashboards', { name: 'Night shift', range: '24h', tiles: [] })
  await post(`/v1/projects/${own}/webhooks`, { url: 'https://chat.example/hook', events: ['trace.flagged'] })
  const reader = await createKey(client, own, { scopes: ['read'] })

  const { page, problems } = await openDashboard(browser, service, `/app/traces/${id}`)
  const choose = async (of: typeof page, text: string, name: string) => {
    await of.keyboard.press('Control+k')
    const field = of.getByRole('combobox', { name: 'Screen, action, name, id or text' })
    await field.fill(text)
    await of.getByRole('option', { name, exact: true }).click()
    await field.waitFor({ state: 'detached' })
  }
  await page.getByRole('heading', { name: 'book a flight', level: 1 }).waitFor()
  await choose(page, 'compare with', 'Compare with… action')
  await page.getByRole('dialog').getByLabel('Id or link of the trace').waitFor()
  await page.keyboard.press('Escape')
  await choose(page, 'ana-mar', 'ana-maria user')
  await page.waitForURL(/\/users\/ana-maria/)
  await choose(page, 'of-ana', 'chat-of-ana session')
  await page.waitForURL(/\/sessions\/chat-of-ana/)
  await choose(page, 'night', 'Night shift dashboard')
  await page.getByRole('heading', { name: 'Night shift', level: 1 }).waitFor()
  await choose(page, 'rename', 'Rename… action')
  await page.getByRole('dialog').getByLabel('Name').waitFor()
  await page.keyboard.press('Escape')
  await choose(page, 'example/hook', 'https://chat.example/hook webhook')
  await page.waitForURL(/\/webhooks\/wh_/)
  await page.goto(`${service.url}/app/traces`)
  await page.getByRole('link', { name: 'book a flight' }).waitFor()
  await choose(page, 'columns', 'Choose columns action')
  await page.getByRole('menuitemcheckbox', { name: 'Models' }).waitFor()
  await page.keyboard.press('Escape')
  // Of a menu, its entries are listed.
  const saves = async (text: string, name: string) => {
    const saved = page.waitForEvent('download')
    await choose(page, text, `${name} action`)
    return (await saved).suggestedFilename()
  }
  assert.match(await saves('export', 'Export all traces that match as Parquet'), /[.]parquet$/)
  await choose(page, 'pin', 'Pin to “Night shift” action')
  await page.getByText('Pinned to “Night shift”').first().waitFor()
  await page.keyboard.press('3')
  await page.getByRole('slider').waitFor()
  assert.equal(await saves('export', 'Export the chart as CSV'), 'spoor-chart.csv')
  await page.keyboard.press('1')
  await page.getByRole('checkbox', { name: 'Select book a flight' }).check()
  await page.keyboard.press('Control+k')
  await page.getByRole('option', { name: 'Delete 1 trace action' }).waitFor()
  await page.keyboard.press('Escape')
  await choose(page, 'flag', 'Flag 1 trace action')
  await page.getByText('Flagged', { exact: true }).first().waitFor()
  await choose(page, 'monitor this', 'Monitor this action')
  await page.getByRole('dialog', { name: 'New monitor' }).waitFor()

  const read = await openDashboard(
    browser,
    { url: service.url, client, key: reader.secret, log: '' },
    `/app/traces/${id}`,
  )
  await read.page.getByRole('heading', { name: 'book a flight', level: 1 }).waitFor()
  await read.page.keyboard.press('Control+k')
  await read.page.getByRole('option', { name: 'Reload action' }).waitFor()
  for (const name of [/^Flag/, /^Mark/, /^Delete/]) {
    assert.equal(await read.page.getByRole('option', { name }).count(), 0)
  }
  assert.deepEqual([...problems, ...read.problems], [])
})

test('a link opens for a colleague whose key may use its project, and says so to one whose key may not', async (context) => {
  if (typeof browser === 'string') return context.skip(browser)
  await using service = await Service.start()
  const own = await firstProjectId(service.client)
  const id = await record(service.client, 'look at this')
  const other = await createProject(service.client, 'second')
  const [stranger, colleague] = [
    await createKey(service.client, other.id, { scopes: ['read'] }),
    await createKey(service.client, own, { scopes: ['read'] }),
  ]
  const tab = await (await browser.newContext()).newPage()
  await tab.goto(`${service.url}/app/p/${own}/traces/${id}`)
  const signIn = async (secret: string) => {
    await tab.getByLabel('API key', { exact: true }).fill(secret)
    await tab.getByRole('button', { name: 'Sign in' }).click()
  }
  await signIn(stranger.secret)
  await tab.getByRole('heading', { name: 'This project cannot be opened' }).waitFor()
  await tab.getByRole('button', { name: 'Sign in with another key' }).click()
  await tab.getByLabel('API key', { exact: true }).waitFor()
  assert.ok(tab.url().includes(`/app/p/${own}/traces/${id}`), 'the address stays for the next key')
  await signIn(colleague.secret)
  await tab.getByRole('heading', { name: 'look at this', level: 1 }).waitFor()

  await tab.getByRole('button', { name: /^Project/ }).click()
  await tab.getByRole('menuitem', { name: 'Sign out' }).click()
  await signIn(stranger.secret)
  await tab.getByRole('link', { name: 'Open your own project' }).click()
  await tab.waitForURL(new RegExp(`/app/p/${other.id}/traces`))
})
