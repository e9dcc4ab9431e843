import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, test } from 'node:test'
import boundaries from '../.dependency-cruiser.mjs'

// A canary: the boundaries tool once passed silently because it could not read TypeScript. So it is run on a small tree
// with the same structure as ours, first without and then with one violation of every rule.

const root = join(import.meta.dirname, '..')

/** The manifest and the entry file of a package. */
const stubPackage = (/** @type {string} */ name) => ({
  [`node_modules/${name}/package.json`]: JSON.stringify({ name, version: '1.0.0', type: 'module', main: 'index.js' }),
  [`node_modules/${name}/index.js`]: 'export const stub = 1\n',
})

const SERVER = 'packages/server/src'
const DASHBOARD = 'packages/dashboard/src'
const CLEAN_TREE = {
  'package.json': JSON.stringify({
    name: 'canary',
    type: 'module',
    devDependencies: { 'only-for-development': '1.0.0' },
  }),
  'packages/contract/package.json': JSON.stringify({ name: '@spoor/contract', type: 'module' }),
  'packages/contract/src/ids.ts': "import type { Kind } from './kind.ts'\nexport const kind: Kind = 'trace'\n",
  'packages/contract/src/kind.ts': "export type Kind = 'trace'\n",
  'packages/server/package.json': JSON.stringify({
    name: '@spoor/server',
    type: 'module',
    dependencies: {
      chdb: '1.0.0',
      fastify: '1.0.0',
      kysely: '1.0.0',
      '@clickhouse/client': '1.0.0',
      '@fastify/helmet': '1.0.0',
      undici: '1.0.0',
    },
  }),
  [`${SERVER}/main.ts`]:
    "import './config.ts'\nimport './http/app.ts'\nimport './storage/trace-store.ts'\nimport './journal/read.ts'\nimport './wire/trace.ts'\nimport './profiles/embedded.ts'\n",
  [`${SERVER}/config.ts`]: "import '../../contract/src/ids.ts'\nexport const port = 1\n",
  [`${SERVER}/lib/clock.ts`]: "import 'node:fs'\nexport const clock = 1\n",
  [`${SERVER}/lib/d.ts`]: 'export type D = 1\n',
  [`${SERVER}/lib/e.ts`]: "import type { D } from './d.ts'\nexport type E = D | 2\n",
  [`${SERVER}/traces/list.ts`]: "import '../lib/clock.ts'\nimport '../journal/read.ts'\nexport const list = 1\n",
  [`${SERVER}/traces/rules/terms.ts`]: "import '../../lib/clock.ts'\nexport const terms = 1\n",
  [`${SERVER}/traces/list.test.ts`]: "import '../storage/trace-store.ts'\nimport './list.ts'\nimport 'node:test'\n",
  [`${SERVER}/journal/read.ts`]: "import '../lib/clock.ts'\nexport const read = 1\n",
  [`${SERVER}/http/app.ts`]:
    "import 'fastify'\nimport '@fastify/helmet'\nimport '../traces/list.ts'\nexport const app = 1\n",
  [`${SERVER}/storage/trace-store.ts`]:
    "import 'chdb'\nimport 'kysely'\nimport '@clickhouse/client'\nimport 'node:sqlite'\nimport '../traces/rules/terms.ts'\nimport './clickhouse/store.ts'\nexport const store = 1\n",
  [`${SERVER}/storage/clickhouse/store.ts`]: 'export const store = 1\n',
  [`${SERVER}/delivery-client/send.ts`]: "import 'undici'\nimport '../ports/trace-store.ts'\nexport const send = 1\n",
  [`${SERVER}/node-client/send.ts`]: "import 'undici'\nimport '../ports/trace-store.ts'\nexport const send = 1\n",
  [`${SERVER}/delivery-client/send.test.ts`]: "import './send.ts'\nimport '../storage/trace-store.ts'\n",
  [`${SERVER}/clusters/port.ts`]: "import '../lib/clock.ts'\nexport const port = 1\n",
  [`${SERVER}/model-endpoints/embedder.ts`]: "import '../clusters/port.ts'\nexport const embedder = 1\n",
  [`${SERVER}/ports/trace-store.ts`]: "import '../lib/clock.ts'\nexport const port = 1\n",
  [`${SERVER}/wire/trace.ts`]: "import '../ports/trace-store.ts'\nexport const text = 1\n",
  [`${SERVER}/profiles/embedded.ts`]: "import './embedded/start/start-webhooks.ts'\nexport const service = 1\n",
  [`${SERVER}/profiles/embedded/start/start-webhooks.ts`]:
    "import '../../../delivery-client/send.ts'\nimport '../../../node-client/send.ts'\nimport '../../../model-endpoints/embedder.ts'\nexport const start = 1\n",
  'packages/dashboard/package.json': JSON.stringify({ name: '@spoor/dashboard', type: 'module' }),
  [`${DASHBOARD}/main.tsx`]: "import './app/shell.tsx'\n",
  [`${DASHBOARD}/app/shell.tsx`]: "import './theme.ts'\nimport '../traces/screen.tsx'\nexport const shell = <p />\n",
  [`${DASHBOARD}/app/theme.ts`]: 'export const theme = 1\n',
  [`${DASHBOARD}/traces/screen.tsx`]:
    "import '../app/theme.ts'\nimport '../ui/button.tsx'\nimport './row.ts'\nexport const screen = <p />\n",
  [`${DASHBOARD}/traces/row.ts`]: "import '../../../contract/src/ids.ts'\nexport const row = 1\n",
  [`${DASHBOARD}/ui/button.tsx`]: "import '../app/theme.ts'\nexport const button = <p />\n",
  ...stubPackage('chdb'),
  ...stubPackage('fastify'),
  ...stubPackage('kysely'),
  ...stubPackage('@clickhouse/client'),
  ...stubPackage('@fastify/helmet'),
  ...stubPackage('undici'),
  ...stubPackage('only-for-development'),
}

/** Files that break each rule. Each file must be reported for that rule; it may break others too. */
const VIOLATIONS = /** @type {Record<string, Record<string, string>>} */ ({
  'contract-imports-nothing-of-ours': { 'packages/contract/src/a.ts': "import '../../server/src/lib/clock.ts'\n" },
  'contract-does-no-io': {
    'packages/contract/src/b.ts': "import { readFile } from 'node:fs/promises'\nexport { readFile }\n",
  },
  'sdk-stands-alone': {
    'packages/sdk/src/a.ts': "import type { Kind } from '../../contract/src/kind.ts'\nexport type A = Kind\n",
    'packages/sdk/src/b.ts': "import { createHmac } from 'node:crypto'\nexport { createHmac }\n",
  },
  'payloads-is-pure': {
    'packages/payloads/src/a.ts': "import type { Kind } from '../../contract/src/kind.ts'\nexport type A = Kind\n",
    'packages/payloads/src/b.ts': "import { readFile } from 'node:fs/promises'\nexport { readFile }\n",
  },
  'dashboard-imports-contract-and-payloads-alone': {
    [`${DASHBOARD}/api/a.ts`]:
      "import type { clock } from '../../../server/src/lib/clock.ts'\nexport type A = typeof clock\n",
    [`${DASHBOARD}/traces/a.tsx`]: "import '../../../sdk/src/b.ts'\nexport const a = <p />\n",
  },
  'dashboard-imported-by-nobody': {
    [`${SERVER}/http/d.ts`]: "import '../../../dashboard/src/traces/row.ts'\n",
    'packages/contract/src/c.ts': "export * from '../../dashboard/src/traces/row.ts'\n",
  },
  'screens-do-not-import-one-another': {
    [`${DASHBOARD}/metrics/a.tsx`]: "import '../traces/screen.tsx'\nexport const a = <p />\n",
    [`${DASHBOARD}/trace/a.ts`]: "import { row } from '../traces/row.ts'\nexport { row }\n",
    [`${DASHBOARD}/settings/a.ts`]: "import '../app/shell.tsx'\n",
  },
  'dashboard-parts-do-not-import-screens': {
    [`${DASHBOARD}/ui/a.tsx`]: "import '../traces/screen.tsx'\nexport const a = <p />\n",
    [`${DASHBOARD}/lib/a.ts`]: "export * from '../traces/row.ts'\n",
    [`${DASHBOARD}/api/b.ts`]: "import '../app/shell.tsx'\n",
  },
  'server-imported-only-by-tests-and-tools': {
    'packages/dashboard/src/a.ts': "import '../../server/src/traces/list.ts'\n",
  },
  'lib-knows-no-business': {
    [`${SERVER}/lib/a.ts`]: "import type { list } from '../traces/list.ts'\nexport type A = typeof list\n",
  },
  'features-do-not-import-one-another': {
    [`${SERVER}/traces/a.ts`]: "import '../metrics/read.ts'\n",
    [`${SERVER}/metrics/read.ts`]: "import '../monitors/read.ts'\n",
    [`${SERVER}/monitors/read.ts`]: "import '../traces/list.ts'\n",
    [`${SERVER}/webhooks/a.ts`]: "import type { list } from '../traces/list.ts'\nexport type A = typeof list\n",
    [`${SERVER}/projects/a.ts`]: "export const later = () => import('../traces/list.ts')\n",
  },
  'ports-know-lib-and-contract-alone': {
    [`${SERVER}/ports/a.ts`]: "import type { list } from '../traces/list.ts'\nexport type A = typeof list\n",
    [`${SERVER}/ports/b.ts`]: "import '../journal/read.ts'\n",
  },
  'wire-knows-no-http': { [`${SERVER}/wire/a.ts`]: "import '../http/app.ts'\n" },
  'mcp-is-a-client-of-the-api': { [`${SERVER}/mcp/a.ts`]: "import '../traces/list.ts'\n" },
  'clustering-is-pure': {
    'packages/clustering/src/a.ts': "import '../../server/src/lib/clock.ts'\n",
    'packages/clustering/src/b.ts': "import { readFile } from 'node:fs/promises'\nexport { readFile }\n",
  },
  'journal-knows-no-feature': {
    [`${SERVER}/journal/a.ts`]: "import type { list } from '../traces/list.ts'\nexport type A = typeof list\n",
  },
  'features-do-not-import-http': { [`${SERVER}/monitors/a.ts`]: "import '../http/app.ts'\n" },
  'storage-only-in-main': {
    [`${SERVER}/http/a.ts`]: "import '../storage/trace-store.ts'\n",
    [`${SERVER}/clusters/a.ts`]: "export * from '../storage/trace-store.ts'\n",
  },
  'storage-does-not-import-http': { [`${SERVER}/storage/a.ts`]: "import '../http/app.ts'\n" },
  'storage-knows-rules-of-features-alone': {
    [`${SERVER}/storage/d.ts`]: "import '../traces/list.ts'\n",
    [`${SERVER}/storage/e.ts`]: "import type { list } from '../traces/list.ts'\nexport type E = typeof list\n",
  },
  'engine-behind-settled-rows': {
    [`${SERVER}/storage/recent/a.ts`]: "import '../clickhouse/store.ts'\n",
  },
  'rules-are-pure': {
    [`${SERVER}/traces/rules/a.ts`]: "import '../list.ts'\n",
  },
  'http-framework-only-in-http': {
    [`${SERVER}/traces/b.ts`]: "import type { stub } from 'fastify'\nexport type B = typeof stub\n",
    [`${SERVER}/storage/b.ts`]: "import '@fastify/helmet'\n",
    [`${SERVER}/metrics/b.ts`]: "import '@fastify/not-installed'\n",
  },
  'database-drivers-only-in-storage': {
    [`${SERVER}/traces/c.ts`]: "import 'chdb'\n",
    [`${SERVER}/traces/d.ts`]: "import 'kysely'\n",
    [`${SERVER}/traces/e.ts`]: "import '@clickhouse/client'\n",
    [`${SERVER}/media/c.ts`]: "import '@aws-sdk/client-s3'\n",
    [`${SERVER}/traces/f.ts`]: "import { DatabaseSync } from 'node:sqlite'\nexport { DatabaseSync }\n",
    [`${SERVER}/main.ts`]: `${CLEAN_TREE[`${SERVER}/main.ts`]}import 'chdb/connection'\n`,
  },
  'http-client-only-in-delivery-client': {
    [`${SERVER}/webhooks/b.ts`]: "import 'undici'\nexport const b = 1\n",
    [`${SERVER}/storage/c.ts`]: "import type { stub } from 'undici'\nexport type C = typeof stub\n",
  },
  'delivery-client-only-in-start': {
    [`${SERVER}/webhooks/c.ts`]: "import '../delivery-client/send.ts'\n",
    [`${SERVER}/http/c.ts`]: "import '../delivery-client/send.ts'\n",
    [`${SERVER}/http/nodes.ts`]: "import '../node-client/send.ts'\n",
  },
  'delivery-client-does-not-import-http-or-storage': {
    [`${SERVER}/delivery-client/a.ts`]: "import '../storage/trace-store.ts'\n",
    [`${SERVER}/delivery-client/b.ts`]: "import '../traces/list.ts'\n",
  },
  'model-endpoints-only-in-start': {
    [`${SERVER}/clusters/b.ts`]: "import '../model-endpoints/embedder.ts'\n",
  },
  'model-endpoints-do-not-import-http-or-storage': {
    [`${SERVER}/model-endpoints/a.ts`]: "import '../storage/trace-store.ts'\n",
    [`${SERVER}/model-endpoints/b.ts`]: "import '../traces/list.ts'\n",
  },
  'no-engine-in-the-thread-of-clusters': {
    // It imports the engine.
    [`${SERVER}/profiles/embedded/cluster-thread.ts`]: "import '../../storage/trace-store.ts'\n",
  },
  'config-only-in-main': { [`${SERVER}/media/a.ts`]: "import { port } from '../config.ts'\nexport { port }\n" },
  'main-imported-by-nobody': { [`${SERVER}/http/b.ts`]: "import '../main.ts'\n" },
  'product-does-not-import-tests': { [`${SERVER}/traces/g.ts`]: "import './list.test.ts'\n" },
  'product-does-not-import-development-packages': { [`${SERVER}/lib/b.ts`]: "import 'only-for-development'\n" },
  'no-unresolvable-imports': { [`${SERVER}/lib/c.ts`]: "import './gone.ts'\n" },
  'no-cycles': {
    [`${SERVER}/lib/d.ts`]: "import type { E } from './e.ts'\nexport type D = E\n",
  },
  'no-orphans': { [`${SERVER}/lib/f.ts`]: 'export const nobodyUsesThis = 1\n' },
})

const scratch = realpathSync(mkdtempSync(join(tmpdir(), 'spoor-boundaries-')))
after(() => rmSync(scratch, { recursive: true, force: true }))

/** @param {string} name @param {Record<string, string>} files */
function plant(name, files) {
  const folder = join(scratch, name)
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), content)
  }
  for (const file of ['.dependency-cruiser.mjs', 'tsconfig.json']) cpSync(join(root, file), join(folder, file))
  return folder
}

const tool = join(root, 'node_modules/.bin/depcruise')

/** @param {string} folder */
function cruise(folder) {
  const run = spawnSync(
    process.execPath,
    [tool, '--config', '.dependency-cruiser.mjs', '--output-type', 'json', 'packages/**/*.{ts,tsx}'],
    { cwd: folder, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 },
  )
  assert.equal(run.stderr, '')
  const { summary } = JSON.parse(run.stdout)
  const violations = /** @type {{ rule: { name: string }, from: string }[]} */ (summary.violations)
  return { summary, found: new Set(violations.map(({ rule, from }) => `${rule.name}: ${from}`)) }
}

test('a clean tree is green and was read', () => {
  const { summary, found } = cruise(plant('clean', CLEAN_TREE))
  assert.deepEqual([...found], [])
  assert.ok(summary.totalDependenciesCruised >= 20, `only ${summary.totalDependenciesCruised} imports were seen`)
})

test('the canary breaks every rule, and every rule says what to do instead', () => {
  assert.deepEqual(Object.keys(VIOLATIONS).sort(), (boundaries.forbidden ?? []).map((rule) => rule.name).sort())
  for (const rule of boundaries.forbidden ?? []) {
    assert.equal(rule.severity, 'error', rule.name)
    assert.ok((rule.comment ?? '').length > 40, rule.name)
  }
})

const { found } = cruise(plant('planted', Object.assign({}, CLEAN_TREE, ...Object.values(VIOLATIONS))))
for (const [rule, files] of Object.entries(VIOLATIONS)) {
  test(`red: ${rule}`, () => {
    for (const file of Object.keys(files)) assert.ok(found.has(`${rule}: ${file}`), `${file} was not reported`)
  })
}

test('npm run boundaries fails on a violation', () => {
  const rule = VIOLATIONS['no-unresolvable-imports']
  const folder = plant('exit-code', { ...CLEAN_TREE, ...rule })
  const run = spawnSync(process.execPath, [tool, '--config', '.dependency-cruiser.mjs', 'packages/**/*.{ts,tsx}'], {
    cwd: folder,
  })
  assert.notEqual(run.status, 0)
})
