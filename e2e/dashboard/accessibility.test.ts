import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import axe, { type AxeResults } from 'axe-core'
import type { Page } from 'playwright-core'
import { discover, listClusters } from '../clusters/discoveries.ts'
import { topicTrace } from '../clusters/topic-traces.ts'
import { launchBrowser } from '../lib/browser.ts'
import { createClient } from '../lib/client.ts'
import { eventually } from '../lib/eventually.ts'
import { createProject } from '../lib/projects.ts'
import { createRandom } from '../lib/random.ts'
import { Service } from '../lib/service.ts'
import { DEEP_RUN } from './deep-run.ts'
import { goWithin, openDashboard, settled } from './lib.ts'

const JSON_BODY = { 'content-type': 'application/json' }

interface Screen {
  readonly path: string
  /** A heading or name that is shown once it has loaded. */
  readonly loaded: string
  /** What is opened then, and a text that is shown afterwards. */
  readonly opened?: { open(page: Page): Promise<unknown>; readonly shown: string }
  /** Not on a phone. */
  readonly wide?: boolean
}

const press = (...keys: string[]) => ({
  open: async (page: Page) => {
    for (const key of keys) await page.keyboard.press(key)
  },
})
const click = (...names: (string | RegExp)[]) => ({
  open: async (page: Page) => {
    for (const name of names)
      await page.getByRole('button', { name }).or(page.getByRole('menuitem', { name })).first().click()
  },
})

/** Creates data for every screen. Resolves with the screens. */
async function fill(service: Service): Promise<readonly Screen[]> {
  const { client } = service
  const post = async <T>(path: string, body: object): Promise<T> => {
    const answer = await client.call({ method: 'POST', path, headers: JSON_BODY, body: JSON.stringify(body) })
    assert.ok(answer.status < 300, answer.text)
    return answer.json<T>()
  }
  // The first, because lists of steps begin with the newest.
  const deep = await post<{ id: string }>('/v1/traces', DEEP_RUN)
  const { id: traceId } = await post<{ id: string }>('/v1/traces', {
    name: 'look it up',
    session_id: 'trip 1',
    user_id: 'ana',
    metadata: { env: 'prod' },
    steps: [
      { name: 'search', type: 'retrieval', status: 'error', error: { type: 'Timeout', message: 'too late' } },
      {
        name: 'answer',
        type: 'llm',
        model: 'gpt-4o',
        token_usage: { input: 10, output: 5 },
        messages: [{ role: 'user', content: [{ type: 'text', text: '## Hello\n\n[a link](https://example.org)' }] }],
      },
    ],
  })
  const { id: otherId } = await post<{ id: string }>('/v1/traces', {
    name: 'look it up again',
    steps: [
      { name: 'search', type: 'retrieval' },
      { name: 'think', type: 'llm' },
    ],
  })
  await post('/v1/metrics', { name: 'solved', kind: 'boolean' })
  await post('/v1/metrics/events', { name: 'solved', trace_id: traceId, passed: true })
  const source = { kind: 'metric', metric: 'solved' }
  const condition = { aggregation: 'pass_rate', window_seconds: 3600, comparison: 'lt', threshold: 0.5 }
  const monitor = await post<{ id: string }>('/v1/monitors', { name: 'Too few', source, ...condition })
  const { projects } = (await client.get('/v1/projects')).json<{ projects: { id: string }[] }>()
  const webhooks = `/v1/projects/${projects[0]!.id}/webhooks`
  const webhook = await post<{ id: string }>(webhooks, { url: 'http://127.0.0.1:9/hook', events: ['trace.committed'] })
  // In a project of its own: axe takes a second more for the rows of a long list, of which each is like the others.
  const clustered = await createProject(client, 'clustered')
  const ofClusters = createClient(service.url, clustered.key)
  const random = createRandom(1)
  for (let n = 0; n < 40; n++) await ofClusters.postTrace(topicTrace(n % 2, random, n % 5 === 0))
  await discover(ofClusters, { k_max: 4 })
  const [cluster] = await listClusters(ofClusters)
  const clusters = `/app/p/${clustered.id}/clusters`
  const empty = await post<{ id: string }>('/v1/projects', { name: 'empty' })
  const list = { path: '/app/traces', loaded: 'look it up' }
  const screens = [
    ['/app/traces', 'look it up'],
    ['/app/traces?lines=1&columns=status,name,input,output,cost_usd,meta:env,metadata', 'look it up'],
    [`/app/traces/${traceId}`, 'answer'],
    [`/app/traces/${traceId}?tab=conversation`, 'Hello'],
    [`/app/traces/${traceId}?tab=json`, 'Copy JSON'],
    [`/app/traces/compare?left=${traceId}&right=${otherId}`, 'They differ at the first step'],
    ['/app/sessions', 'trip 1'],
    ['/app/sessions/trip%201', 'too late'],
    ['/app/users/ana', 'Failed traces'],
    ['/app/metrics', 'solved'],
    ['/app/metrics/solved', 'Period before'],
    ['/app/home?range=24h', 'Slowest tools'],
    ['/app/monitors', 'Too few'],
    [`/app/monitors/${monitor.id}`, 'Too few'],
    [clusters, 'Discover clusters'],
    ['/app/webhooks', '127.0.0.1:9/hook'],
    [`/app/webhooks/${webhook.id}`, '127.0.0.1:9/hook'],
    ['/app/versions', 'No versions yet'],
    ['/app/settings?tab=analysis', 'Task key'],
    ['/app/settings', 'Keys'],
    ['/app/nowhere', 'This page does not exist'],
    ['/app/users', 'ana'],
    ['/app/traces?q=unheard', 'No results'],
    ['/app/traces?as=chart&measure=cost_usd&group_by=model', 'gpt-4o'],
    ['/app/traces?as=chart&measure=steps.duration_ms&log=true', 'Log axis'],
    ['/app/traces?as=steps', 'too late'],
    [`/app/traces?argument={"city":"Lisbon"}&tool=search`, 'Argument city'],
    [`${clusters}/${cluster?.id}`, 'Typical requests'],
    ['/app/settings?tab=senders', 'JSON API'],
    [`/app/p/${empty.id}/traces`, 'No traces yet'],
    [`/app/p/${empty.id}/clusters`, 'No clusters yet'],
    ['/app/p/proj_00000000000000000000000000/traces', 'This project cannot be opened'],
  ] as const
  const all: readonly Screen[] = [
    ...screens.map(([path, loaded]) => ({ path, loaded })),
    { ...list, opened: { ...click('Views'), shown: 'No saved views yet' } },
    { ...list, opened: { ...click('Views', /^Save/), shown: 'for everybody in this project' } },
    { ...list, opened: { ...click('Review'), shown: 'Score what has no event of' } },
    { ...list, opened: { ...click('Add filter'), shown: 'Run type is not' } },
    { ...list, opened: { ...click('Export'), shown: 'Parquet' } },
    {
      path: `/app/traces/${traceId}`,
      loaded: 'answer',
      opened: { ...press('y'), shown: 'curl command' },
      wide: true,
    },
    {
      path: `/app/traces/${deep.id}`,
      loaded: 'before 1',
      opened: {
        // The list sets its place itself when it is first shown.
        open: (page) =>
          eventually('the list is scrolled', async () => {
            await page.evaluate(`document.getElementById('step-columns').scrollTop = 1000`)
            return page.getByText('call 30').isVisible()
          }),
        shown: 'call 30',
      },
      wide: true,
    },
    { ...list, opened: { ...press('b'), shown: 'Error type' } },
    { ...list, opened: { ...press('b'), shown: 'look it up again' } },
    { ...list, opened: { ...click(/^Time range/), shown: 'Last 90 days' } },
    { ...list, opened: { ...press('?'), shown: 'Keyboard shortcuts' } },
    { ...list, opened: { ...press('Control+k'), shown: 'new trace' } },
    { ...list, opened: { ...click('Columns'), shown: 'Lines of a row' }, wide: true },
    { ...list, opened: { ...press('j', 's'), shown: '1 trace selected' }, wide: true },
    { ...list, opened: { ...press('j', 'x'), shown: 'Run type' }, wide: true },
    { ...list, opened: { ...click(/^Project/), shown: 'Sign out' }, wide: true },
    { ...list, opened: { ...click('Review', 'solved'), shown: 'Passed' } },
    {
      path: '/app/settings?tab=prices',
      loaded: 'Model prices',
      // The longest names.
      opened: { open: (page) => page.getByLabel('Find a model').fill('mistral'), shown: 'mistral-large-2402' },
    },
    { ...list, opened: { ...press('P'), shown: 'Pin this to a dashboard' } },
    { path: '/app/home', loaded: 'Slowest tools', opened: { ...click('More about Runs'), shown: 'Full width' } },
    { path: '/app/metrics', loaded: 'solved', opened: { ...click('New metric'), shown: 'Direction' } },
    { path: '/app/monitors', loaded: 'Too few', opened: { ...click('New monitor'), shown: 'Consecutive breaches' } },
    { path: '/app/webhooks', loaded: '/hook', opened: { ...click('New webhook'), shown: 'Send as' } },
    {
      path: clusters,
      loaded: 'Discover clusters',
      opened: { ...click('Discover clusters'), shown: 'Min clusters' },
    },
  ]
  return [...Map.groupBy(all, ({ path }) => projectIn(path)).values()].flat()
}

/** A page shows one project for as long as it is loaded. */
const projectIn = (path: string) => /^\/app\/p\/[^/]+/.exec(path)?.[0] ?? ''

/** What the theme or the width of a page can change. The others are the same in every look. */
const RULES_OF_LOOKS = [
  'aria-hidden-focus',
  'button-name',
  'color-contrast',
  'label',
  'link-in-text-block',
  'link-name',
  'scrollable-region-focusable',
  'target-size',
]

/**
 * The violations that axe reports, as lines: of the open menu or dialog alone, else of the page, which is the same
 * below them. Its rule of WCAG 2.2 is off by default.
 */
async function violations(page: Page, ofLook: boolean): Promise<readonly string[]> {
  await settled(page)
  const options = {
    resultTypes: ['violations'],
    // No sheet or medium is of another origin.
    preload: false,
    ...(ofLook ? { runOnly: RULES_OF_LOOKS } : { rules: { 'target-size': { enabled: true } } }),
  }
  const shown = `document.querySelector('[role=menu], [role=dialog]') ?? document`
  const { violations: found } = (await page.evaluate(`axe.run(${shown}, ${JSON.stringify(options)})`)) as AxeResults
  return found.map(
    ({ id, help, nodes }) => `${id}: ${help}: ${nodes.map(({ html }) => html.slice(0, 200)).join(' | ')}`,
  )
}

const resources = new AsyncDisposableStack()
after(() => resources.disposeAsync())

/** One service for all looks. A string is the reason why there is no browser. */
async function start() {
  const browser = await launchBrowser('newest')
  if (typeof browser === 'string') return browser
  resources.defer(() => browser.close())
  const service = resources.use(await Service.start({ environment: { SPOOR_WEBHOOK_ALLOW: '127.0.0.1' } }))
  return { browser, service, screens: await fill(service) }
}

let starting: ReturnType<typeof start> | undefined

const LOOKS = [
  { width: 1440, height: 900, colorScheme: 'light', of: () => true, isFirst: true },
  // Others are dark on a phone.
  { width: 1440, height: 900, colorScheme: 'dark', of: ({ wide = false }: Screen) => wide, isFirst: false },
  { width: 390, height: 844, colorScheme: 'dark', of: ({ wide = false }: Screen) => !wide, isFirst: false },
] as const

// Each has a tab of its own.
describe('no screen has an axe violation', { concurrency: true }, () => {
  for (const { width, height, colorScheme, of, isFirst } of LOOKS) {
    test(`at ${width} pixels in ${colorScheme}`, async (context) => {
      const started = await (starting ??= start())
      if (typeof started === 'string') return context.skip(started)
      const { browser, service, screens } = started
      const { page, problems } = await openDashboard(browser, service, '/app/traces')
      const found: string[] = []
      await page.setViewportSize({ width, height })
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
      let project: string | null = null
      for (const { path, loaded, opened } of screens.filter(of)) {
        if (projectIn(path) === project) await goWithin(page, path)
        else {
          await page.goto(service.url + path)
          await page.evaluate(axe.source)
        }
        project = projectIn(path)
        await page.getByText(loaded).filter({ visible: true }).first().waitFor()
        await opened?.open(page)
        if (opened !== undefined) await page.getByText(opened.shown).filter({ visible: true }).first().waitFor()
        // What was opened may be another screen.
        await page.locator('h1').first().waitFor()
        const where = `${path}${opened === undefined ? '' : ` with “${opened.shown}”`}`
        for (const line of await violations(page, !isFirst)) found.push(`${where}: ${line}`)
        const tooWide = await page.evaluate('document.documentElement.scrollWidth - innerWidth')
        if (Number(tooWide) > 0) found.push(`${where} is ${tooWide} px too wide`)
      }
      assert.deepEqual(found, [])
      assert.deepEqual(problems, [])
    })
  }
})
