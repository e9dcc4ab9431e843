import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import type { Locator, Page } from 'playwright-core'
import { discover as runDiscovery, listClusters } from '../clusters/discoveries.ts'
import { eventually } from '../lib/eventually.ts'
import { walkFeed } from '../lib/feed.ts'
import type { Client } from '../lib/client.ts'
import { placeOf } from '../lib/place-of.ts'
import { openDashboard, shareService } from './lib.ts'
import { straight, touch } from './touch.ts'

const start = shareService()

const AIRLINE_RUNS = fileURLToPath(new URL('../../../shared/data/airline-traces.jsonl', import.meta.url))

const REQUESTS = {
  password: 'I cannot log in and need my password reset, the reset link never arrives in my mailbox',
  refund: 'My parcel arrived damaged and I want a refund for the broken vase that was inside of it',
  invoice: 'Please send the invoice of last month as a document to the accounting department',
}

/** Thirty traces of each topic; refunds fail. Names and texts are hostile. */
async function postTopics(client: Client): Promise<void> {
  const post = (topic: string, text: string, index: number) => {
    const name = `<img src=x onerror=alert(1)> ${topic} \u202e${index}`
    const content = `${text} <script>alert(${index})</script> ${index % 3 === 0 ? 'please' : 'thanks'}`
    const messages = [{ role: 'user', content: [{ type: 'text', text: content }] }]
    const status = topic === 'refund' ? 'error' : 'ok'
    return client.postTrace({ name, status, steps: [{ name: 'chat', type: 'llm', messages }] })
  }
  const all = Object.entries(REQUESTS).flatMap(([topic, text]) =>
    Array.from({ length: 30 }, (_, index) => post(topic, text, index)),
  )
  for (const { status } of await Promise.all(all)) assert.equal(status, 202)
}

async function postAirlineRuns(client: Client): Promise<void> {
  const lines = readFileSync(AIRLINE_RUNS, 'utf8').trim().split('\n')
  for (const { status } of await Promise.all(lines.map((line) => client.postTrace(line)))) assert.equal(status, 202)
}

async function discover(page: Page, fields: Readonly<Record<string, string>> = {}): Promise<void> {
  await page.getByRole('button', { name: 'Discover clusters' }).first().click()
  const dialog = page.getByRole('dialog')
  for (const [label, value] of Object.entries(fields)) await dialog.getByLabel(label).fill(value)
  await dialog.getByRole('button', { name: 'Run discovery' }).click()
}

/** A lasso around the whole map. */
async function drawAround(page: Page, map: Locator): Promise<void> {
  const { x, y, width, height } = await placeOf(map)
  await map.hover({ position: { x: 2, y: 2 } })
  await page.mouse.down()
  for (const [across, down] of [
    [0.99, 0.02],
    [0.99, 0.98],
    [0.01, 0.98],
  ] as const)
    // prettier-ignore
    await page.mouse.move(x + width * across, y + height * down, { steps: 4 })
  await page.mouse.up()
}

/** Two fingers zoom in and out, one pans and returns, and one draws a lasso around all points. */
async function useFingers(page: Page, map: Locator): Promise<void> {
  const { x, y, width, height } = await placeOf(map)
  const at = (across: number, down: number) => ({ x: x + width * across, y: y + height * down })
  // A map that is shown as a whole leaves vertical swipes to the page.
  const isTheMaps = (yes: boolean) =>
    eventually('a finger pans the map or scrolls the page', () =>
      map.evaluate(
        (element, action) =>
          (element as unknown as { readonly style: { readonly touchAction: string } }).style.touchAction === action,
        yes ? 'none' : 'pan-y',
      ),
    )
  const drawn = async () => {
    await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))')
    const bytes = await map.evaluate((element) =>
      (element.querySelector('canvas') as unknown as { toDataURL(): string }).toDataURL(),
    )
    return createHash('sha256').update(bytes).digest('hex')
  }
  // Once it stays: on a busy machine the last move of a finger is drawn later.
  const picture = async () => {
    let last = ''
    for (let next = await drawn(); next !== last; next = await drawn()) {
      last = next
      await page.waitForTimeout(200)
    }
    return last
  }
  // A busy machine joins moves of a finger, which then pans a little less far: not each time.
  for (let attempt = 1; ; attempt++) {
    await isTheMaps(false)
    // Only a little, so that points at the edges stay visible.
    await touch(page, [straight(at(0.1, 0.5), at(0.075, 0.5)), straight(at(0.9, 0.5), at(0.925, 0.5))])
    await isTheMaps(true)
    const zoomed = await picture()
    await touch(page, [straight(at(0.5, 0.5), at(0.6, 0.6))])
    assert.notEqual(await picture(), zoomed)
    await touch(page, [straight(at(0.6, 0.6), at(0.5, 0.5))])
    const returned = await picture()
    await touch(page, [straight(at(0.2, 0.5), at(0.45, 0.5)), straight(at(0.8, 0.5), at(0.55, 0.5))])
    await isTheMaps(false)
    if (returned === zoomed) break
    assert.ok(attempt < 5, 'the map did not return in five attempts')
    // The last gesture zoomed out further than the whole map.
    await map.press('0')
  }
  await page.getByRole('button', { name: 'Select with a lasso' }).click()
  await isTheMaps(true)
  const corners = [at(0.01, 0.02), at(0.85, 0.02), at(0.99, 0.3), at(0.99, 0.98), at(0.01, 0.98)]
  await touch(page, [corners.slice(1).flatMap((corner, index) => straight(corners[index]!, corner))])
}

test('clusters are discovered, shown on the map, opened one by one, and lead to their traces', async (context) => {
  const started = await start(context)
  if (started === null) return
  const { browser, service } = started
  const { page, problems } = await openDashboard(browser, service, '/app/clusters')
  await page.getByRole('heading', { name: 'No clusters yet' }).waitFor()
  await discover(page)
  await page.getByText('A discovery needs at least 20').waitFor()

  await postTopics(service.client)
  await discover(page, { 'Min clusters': '9', 'Max clusters': '4' })
  await page.getByText('k_min must not be above k_max').waitFor()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Min clusters').fill('3')
  await dialog.getByRole('button', { name: 'Run discovery' }).click()
  await page.getByText(/Found \d+ clusters in 90 traces/).waitFor()

  const table = page.getByRole('table', { name: 'Clusters of the last run' })
  await table.getByText('high', { exact: true }).first().waitFor()
  await page.getByRole('button', { name: 'Error rate' }).click()
  await page.waitForURL(/sort=failed/)
  const worst = table.getByRole('row').nth(1)
  // The address changes before the rows.
  await worst.getByText('100%').first().waitFor()

  await worst.getByRole('button', { name: 'Why' }).click()
  await page.getByText('30 failed and 0 other runs were compared.').waitFor()
  await page.keyboard.press('Escape')

  const map = page.getByRole('application', { name: /Map of 90 traces/ })
  await page.getByRole('button', { name: 'Select with a lasso' }).click()
  await drawAround(page, map)
  const selection = page.getByRole('region', { name: 'Selected traces' })
  await selection.getByText('90 traces selected').waitFor()
  await selection
    .getByText(/<img src=x onerror=alert\(1\)>/)
    .first()
    .waitFor()
  await map.press('Escape')
  await selection.waitFor({ state: 'detached' })
  await useFingers(page, map)
  await selection.getByText('90 traces selected').waitFor()
  await map.press('Escape')
  await selection.waitFor({ state: 'detached' })

  await worst.getByRole('button', { name: /Show only/ }).click()
  await page.waitForURL(/cluster=clu_/)
  // By keys, the first row is opened.
  await page.keyboard.press('j')
  await page.keyboard.press('Enter')
  await page.getByText('High error rate').waitFor()
  await page.getByRole('button', { name: 'Why' }).waitFor()
  await page.getByRole('img', { name: 'Traces by run, oldest first: 30' }).waitFor()
  await page.getByRole('link', { name: 'View traces' }).click()
  await page.waitForURL(/\/app\/p\/proj_\w+\/traces\?cluster=clu_/)
  const histogram = page.getByRole('region', { name: 'Traces over time' })
  await histogram.getByText('0 ok', { exact: true }).waitFor()
  await histogram.getByText('30 failed', { exact: true }).waitFor()

  // A chart by cluster has their names.
  const names = (await listClusters(service.client)).map(({ label }) => label)
  await page.goto(`${service.url}/app/traces?as=chart&group_by=cluster`)
  const groups = page.getByRole('region', { name: 'Groups' })
  for (const name of names) await groups.getByRole('button', { name, exact: true }).waitFor()
  await groups.getByRole('button', { name: names[0]!, exact: true }).click()
  await page.getByText(`Group: ${names[0]}`).waitFor()
  assert.equal(await page.getByText(/clu_/).count(), 0)

  // With a maximum of two, two of the three topics are one cluster, which says so.
  await page.getByRole('navigation', { name: 'Screens' }).getByRole('link', { name: 'Clusters' }).click()
  await discover(page, { 'Min clusters': '2', 'Max clusters': '2' })
  await page.getByText('1 cluster is mixed. A discovery with a maximum above 2 may split it.').waitFor()
  const mixed = table.getByRole('row').filter({ hasText: 'Mixed: also' })
  await mixed.first().waitFor()
  assert.equal(await mixed.count(), 1)
  await mixed.getByRole('link').first().click()
  await page.getByText('Mixed requests').waitFor()
  assert.deepEqual(problems, [])
})

test('filtered traces have clusters of their own, and a large cluster is split on its page', async (context) => {
  const started = await start(context)
  if (started === null) return
  const { browser, service } = started
  for (let times = 0; times < 4; times++) await postTopics(service.client)
  const { page, problems } = await openDashboard(browser, service, '/app/traces?range=all')
  await page.getByRole('button', { name: 'Why' }).waitFor()
  const button = page.getByRole('button', { name: 'Clusters', exact: true })
  assert.equal(await button.count(), 0, 'without a filter')
  await page.goto(`${service.url}/app/traces?range=all&status=error`)
  await button.click()
  await page.waitForURL(/clusters\?selection=sel_/)
  await page.getByText(/Found \d+ clusters? in 120 traces/).waitFor()
  const choice = page.getByLabel('Traces', { exact: true })
  assert.deepEqual(await choice.getByRole('option').allInnerTexts(), ['All traces', 'Status failed'])
  await page.getByRole('link', { name: 'View its traces' }).click()
  await page.waitForURL(/traces\?.*status=error/)
  await page.goBack()
  await page.getByRole('button', { name: 'Delete' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
  await page.getByRole('heading', { name: 'No clusters yet' }).waitFor()
  await choice.waitFor({ state: 'detached' })

  await runDiscovery(service.client, { k_max: 2 })
  const [largest] = await listClusters(service.client)
  assert.equal(largest?.size, 240)
  await page.goto(`${service.url}/app/clusters/${largest.id}`)
  await page.getByRole('button', { name: 'Split into smaller clusters' }).click()
  const parts = page.getByRole('region', { name: 'Smaller clusters' })
  await parts.getByText(/Found \d+ clusters in 240 traces/).waitFor()
  await parts.getByRole('listitem').nth(1).getByRole('link').click()
  await page.getByRole('link', { name: 'View traces' }).click()
  await page.waitForURL(/cluster=clu_/)
  await page.goBack()
  await page.getByRole('link', { name: 'All clusters' }).click()
  await page.waitForURL(/selection=sel_/)
  await page.getByRole('table', { name: 'Clusters of the last run' }).waitFor()
  assert.deepEqual(problems, [])
})

test('failures are measured by metadata, typical requests are shown, and a cluster is renamed and reset', async (context) => {
  const started = await start(context)
  if (started === null) return
  const { browser, service } = started
  for (const [topic, text] of Object.entries(REQUESTS)) {
    const messages = [{ role: 'user', content: [{ type: 'text', text }] }]
    const metadata = { reward: topic === 'invoice' ? 0 : 1 }
    for (let n = 0; n < 25; n++) {
      const failed = { status: 'error', error: { type: n < 3 ? 'TaxError' : 'PaymentError', message: 'it failed' } }
      const chat = { name: 'chat', type: 'llm', messages, ...(topic === 'invoice' ? failed : {}) }
      assert.equal((await service.client.postTrace({ name: 'run', metadata, steps: [chat] })).status, 202)
    }
  }
  const { page, problems } = await openDashboard(browser, service, '/app/clusters')
  await page.getByRole('button', { name: 'Discover clusters' }).first().click()
  const dialog = page.getByRole('dialog')
  for (const name of ['Min clusters', 'Max clusters']) await dialog.getByLabel(name).fill('3')
  await dialog.getByLabel('Failed traces').selectOption({ label: 'Metadata has a value' })
  await dialog.getByRole('button', { name: 'Run discovery' }).click()
  await dialog.getByText('Give a key.').waitFor()
  await dialog.getByLabel('Metadata key').fill('reward')
  await dialog.getByLabel('Value of failed traces').fill('0')
  await dialog.getByRole('button', { name: 'Run discovery' }).click()
  await page.getByText(/Found \d+ clusters in 75 traces/).waitFor()
  await page.getByText('failed: metadata reward = 0').waitFor()
  const table = page.getByRole('table', { name: 'Clusters of the last run' })
  const worst = table.getByRole('row').filter({ hasText: 'high' })
  await worst.getByText(REQUESTS.invoice).waitFor()
  assert.match(await worst.innerText(), /100%/)

  await worst.getByRole('link').first().click()
  await page.getByText('Failed: metadata reward = 0').waitFor()
  // Equal requests are shown once; the newest failures are beside them, and lead to all.
  const of = (title: string) => page.getByRole('region', { name: title }).getByText(REQUESTS.invoice)
  await of('Typical requests').waitFor()
  await of('Failed traces').nth(4).waitFor()
  assert.deepEqual([await of('Typical requests').count(), await of('Failed traces').count()], [1, 5])
  // Chosen types of errors narrow them.
  await page.getByRole('checkbox', { name: 'PaymentError 22' }).waitFor()
  await page.getByRole('checkbox', { name: 'TaxError 3' }).check()
  await of('Failed traces').nth(3).waitFor({ state: 'detached' })
  assert.equal(await of('Failed traces').count(), 3)
  await page.getByRole('checkbox', { name: 'TaxError 3' }).uncheck()
  await of('Failed traces').nth(4).waitFor()
  await page.getByRole('link', { name: 'View all failed traces' }).click()
  await page.waitForURL(/cluster=clu_\w+.*meta=/)
  await page.goBack()
  const automatic = await page.getByRole('heading', { level: 1 }).innerText()
  await page.getByRole('button', { name: 'Rename' }).click()
  await dialog.getByLabel('Name').fill('<b>Invoices</b>')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('heading', { name: '<b>Invoices</b>' }).waitFor()
  await page.getByText(`Renamed from ${automatic}`).waitFor()
  await page.getByRole('link', { name: 'All clusters' }).click()
  await table.getByRole('link', { name: '<b>Invoices</b>', exact: true }).click()
  await page.getByRole('button', { name: 'Rename' }).click()
  await dialog.getByRole('button', { name: 'Use the automatic name' }).click()
  await page.getByRole('heading', { name: automatic, exact: true }).waitFor()
  // A trace names its cluster.
  await page.getByRole('region', { name: 'Failed traces' }).getByRole('listitem').first().getByRole('link').click()
  await page.getByRole('heading', { name: 'run', level: 1 }).waitFor()
  await page.getByRole('link', { name: /^cluster / }).click()
  await page.getByRole('heading', { name: automatic, exact: true, level: 1 }).waitFor()
  assert.deepEqual(problems, [])
})

test('a discovery continues after a reload, the schedule is set, and a missing cluster is reported', async (context) => {
  const started = await start(context)
  if (started === null) return
  const { browser, service } = started
  if (existsSync(AIRLINE_RUNS)) await postAirlineRuns(service.client)
  else await postTopics(service.client)
  const { page, problems } = await openDashboard(browser, service, '/app/clusters')
  await page.getByRole('heading', { name: 'No clusters yet' }).waitFor()
  const begun = await service.client.call({
    method: 'POST',
    path: '/v1/clusters/discover',
    headers: { 'content-type': 'application/json' },
    body: '{}',
  })
  assert.equal(begun.status, 202)
  // Started by another client: shows its progress, or its result if it has already ended, without a reload.
  await page
    .getByRole('progressbar', { name: 'Discovery' })
    .or(page.getByText(/Found \d+ clusters/))
    .waitFor()
  await page.reload()
  await page.getByText(/Found \d+ clusters/).waitFor()
  await page.getByRole('table', { name: 'Clusters of the last run' }).waitFor()
  await page.getByRole('button', { name: 'Dismiss' }).click()
  await page.getByText(/Found \d+ clusters/).waitFor({ state: 'detached' })

  await page.getByRole('button', { name: 'Schedule: off' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Run discoveries automatically').check()
  await dialog.getByLabel('Interval (hours)').fill('0')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await dialog.getByText('Enter at least 1').waitFor()
  await dialog.getByLabel('Interval (hours)').fill('6')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('button', { name: 'Every 6 hours' }).waitFor()

  // Failures have clusters and a schedule of their own.
  await page.getByRole('button', { name: 'Failures' }).click()
  await page.getByText('needs at least 20 failed traces').waitFor()
  await page.getByRole('button', { name: 'Schedule: off' }).waitFor()
  await page.getByRole('button', { name: 'Requests' }).click()
  await page.getByText('1 run stored').click()
  await page.getByRole('region', { name: 'Runs' }).getByText('24 hours').waitFor()
  await page.goto(`${service.url}/app/clusters/clu_01m80dg01vexc8msdn3fnw7bsr`)
  await page.getByRole('heading', { name: 'This cluster does not exist' }).waitFor()
  assert.deepEqual(problems, [])
})

test('the project names the path to its requests, and traces that fit no cluster are counted and listed', async (context) => {
  const started = await start(context)
  if (started === null) return
  const { browser, service } = started
  const { page, problems } = await openDashboard(browser, service, '/app/settings?tab=analysis')
  const path = page.getByLabel('Path to the request')
  const save = page.getByRole('button', { name: 'Save' })
  await path.fill('question')
  await save.click()
  await page.getByRole('alert').first().waitFor()
  await path.fill('$.question')
  await save.click()
  await page.getByText('Settings saved', { exact: true }).waitFor()

  // Beside the request, each message has many words of one of four documents.
  const documents = [
    'harvest tractor wheat barn',
    'galaxy comet orbit moon',
    'violin opera tenor stage',
    'glacier ski ice snow',
  ]
  const post = async (topic: string, question: string) => {
    const send = (index: number) => {
      const text = JSON.stringify({
        documents: `${documents[index % 4]!} `.repeat(20),
        question: `${question}, ${index}`,
      })
      const messages = [{ role: 'user', content: [{ type: 'text', text }] }]
      return service.client.postTrace({ name: topic, steps: [{ name: 'chat', type: 'llm', messages }] })
    }
    const answers = await Promise.all(Array.from({ length: 20 }, (_, index) => send(index)))
    for (const { status, text } of answers) assert.equal(status, 202, text)
  }
  for (const [topic, question] of Object.entries(REQUESTS)) await post(topic, question)
  await runDiscovery(service.client)
  const namesOf = async (cluster: string) =>
    (await walkFeed(service.client, { cluster })).map(({ name }) => name).toSorted()
  const clusters = await listClusters(service.client)
  const found = await Promise.all(clusters.map(({ id }) => namesOf(id)))
  const expected = Object.keys(REQUESTS).map((topic) => Array.from({ length: 20 }, () => topic))
  assert.deepEqual(found.toSorted(), expected.toSorted())

  await post('other', 'The quarterly budget spreadsheet is missing a column of totals')
  await eventually('all of them fit no cluster', async () => (await namesOf('none')).length === 20)
  await page.goto(`${service.url}/app/clusters`)
  await page.getByRole('link', { name: '20 since the discovery fit no cluster' }).click()
  await page.waitForURL(/cluster=none/)
  await page.getByRole('link', { name: 'other', exact: true }).first().waitFor()
  for (const topic of Object.keys(REQUESTS))
    assert.equal(await page.getByRole('link', { name: topic, exact: true }).count(), 0)
  assert.deepEqual(problems, [])
})
