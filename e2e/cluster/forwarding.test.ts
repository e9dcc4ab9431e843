import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { after, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { newSecret } from '../../packages/server/src/projects/key-format.ts'
import { type ClusterParts, startClusterParts } from '../lib/cluster/parts.ts'
import { eventually } from '../lib/eventually.ts'
import { FaultProxy } from '../lib/faults/fault-proxy.ts'
import { createProject } from '../lib/projects.ts'
import { Service } from '../lib/service.ts'

const NO_FOLDER = '/dev/null/no-folder'
/** Of a test under load, for each project. */
const SENDERS = 3
/** Between traces of a sender. Other nodes notice a dead one after 7 s, and each trace sent meanwhile is compared. */
const PAUSE_MS = 100

const servers = await startClusterParts()
if (typeof servers === 'string') test('requests that nodes forward', { skip: servers }, () => undefined)
else {
  after(() => servers[Symbol.asyncDispose]())
  await testForwarding(servers)
}

async function testForwarding({ environment }: ClusterParts): Promise<void> {
  const settings = { ...environment, SPOOR_BOOTSTRAP_KEY: newSecret(randomBytes) }
  const nodes = await Promise.all([1, 2, 3].map(() => Service.start({ dataDir: NO_FOLDER, environment: settings })))
  after(() => Promise.all(nodes.map((node) => node[Symbol.asyncDispose]())))
  const [a, b, c] = nodes as [Service, Service, Service]
  const figure = async (node: Service, name: string) => {
    const { text } = await node.client.get('/metrics')
    return Number(new RegExp(`^${name} (.*)$`, 'm').exec(text)?.[1])
  }
  const know = (count: number, of = nodes) =>
    eventually(`${count} nodes`, async () => {
      for (const node of of) if ((await figure(node, 'spoor_nodes')) !== count) return false
      return true
    })
  const post = (node: Service, key: string, name: string, headers = {}) =>
    node.client.as(key).postTrace({ name, steps: [{ name: 'step', type: 'tool' }] }, headers)
  const ownerOf = async (key: string) => {
    const { status, text, headers } = await post(a, key, 'whose')
    assert.equal(status, 202, text)
    const holder = headers['x-spoor-node']
    return holder === undefined ? a : nodes.find(({ pid }) => String(holder).includes(`-${pid}-`))
  }
  /** The key of a project that each node owns. */
  const projects = new Map<Service, string>()
  const findProjects = async () => {
    projects.clear()
    await eventually('each node owns a project', async () => {
      const { key } = await createProject(a.client, 'one of many')
      const owner = await ownerOf(key)
      assert.ok(owner !== undefined)
      projects.set(owner, key)
      return projects.size === nodes.length
    })
  }
  const keyOf = (node: Service) => projects.get(node) as string
  /** Names of all traces of the project. */
  const namesOf = async (key: string, through: Service) => {
    const names: string[] = []
    for (let cursor: string | null = ''; cursor !== null;) {
      const path: string = `/v1/traces?limit=1000${cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`}`
      const answer = await through.client.as(key).get(path)
      assert.equal(answer.status, 200, answer.text)
      const page = answer.json<{ traces: { name: string }[]; next_cursor: string | null }>()
      names.push(...page.traces.map(({ name }) => name))
      cursor = page.next_cursor
    }
    return names
  }
  /** Sends traces of all projects through these nodes until `done`. Returns the names of acknowledged ones by key. */
  const load = async (through: readonly Service[], done: AbortSignal, mayFail: boolean) => {
    const acknowledged = new Map([...projects.values()].map((key) => [key, [] as string[]]))
    const send = async (key: string, sender: string) => {
      for (let count = 0; !done.aborted; count++) {
        await sleep(PAUSE_MS)
        const name = `${sender} ${count}`
        const headers = { 'idempotency-key': name }
        const node = through[count % through.length] as Service
        for (;;) {
          const { status, text, headers: answered } = await post(node, key, name, headers)
          if (status === 202) break
          assert.ok(mayFail && status === 503 && answered['retry-after'] !== undefined, `${status} ${text}`)
        }
        acknowledged.get(key)?.push(name)
      }
    }
    const senders = [...projects.values()].flatMap((key) =>
      Array.from({ length: SENDERS }, () => send(key, randomBytes(4).toString('hex'))),
    )
    await Promise.all(senders)
    return acknowledged
  }
  const assertOnce = async (acknowledged: ReadonlyMap<string, readonly string[]>, through: Service) => {
    for (const [key, names] of acknowledged) {
      const sent = new Set(names)
      const found = (await namesOf(key, through)).filter((name) => sent.has(name))
      assert.deepEqual(found.toSorted(), [...names].toSorted())
    }
  }
  /** Does the work while traces are sent. */
  const underLoad = async (through: readonly Service[], mayFail: boolean, work: () => Promise<unknown>) => {
    const done = new AbortController()
    const loading = load(through, done.signal, mayFail)
    try {
      await Promise.race([work(), loading])
    } finally {
      done.abort()
    }
    return await loading
  }

  test('each project has one owner, and commits of three nodes do not conflict', async () => {
    await know(3)
    await findProjects()
    for (const [owner, key] of projects) {
      for (const node of nodes) {
        const holder = (await post(node, key, 'a run')).headers['x-spoor-node']
        if (node === owner) assert.equal(holder, undefined)
        else assert.ok(String(holder).includes(`-${owner.pid}-`))
      }
    }
    const conflicts = async () => Promise.all(nodes.map((node) => figure(node, 'spoor_commit_conflicts_total')))
    const before = await conflicts()
    let commits = 0
    const acknowledged = await underLoad(nodes, false, () =>
      eventually('a hundred traces', async () => (commits = (await namesOf(keyOf(c), b)).length) > 100),
    )
    assert.ok(commits > 100)
    assert.deepEqual(await conflicts(), before)
    for (const node of nodes) await assertOnce(acknowledged, node)
  })

  test('a node that stops and one that starts hand over under load, and nothing is refused', async () => {
    const acknowledged = await underLoad([a, b], false, async () => {
      await c.stop()
      await know(2, [a, b])
      await c.start()
      await know(3)
    })
    for (const node of nodes) await assertOnce(acknowledged, node)
    await findProjects()
  })

  test('a node that is killed loses nothing; others take its projects', async () => {
    const acknowledged = await underLoad([a, b], true, async () => {
      await c.kill()
      await know(2, [a, b])
    })
    await assertOnce(acknowledged, a)
    assert.notEqual(await ownerOf(keyOf(c)), undefined)
    await c.start()
    await know(3)
    await findProjects()
  })

  test('a node that is stopped is given up; when it goes on, it commits nothing twice', async () => {
    const acknowledged = await underLoad([a, b], true, async () => {
      process.kill(c.pid, 'SIGSTOP')
      await know(2, [a, b])
      await eventually('another node owns its project', async () => (await ownerOf(keyOf(c))) !== c)
      process.kill(c.pid, 'SIGCONT')
      await know(3)
    })
    for (const node of nodes) await assertOnce(acknowledged, node)
  })

  test('a node that hangs and keeps its place is given up: one request learns nothing, the next is stored', async () => {
    const free = createServer().listen(0, '127.0.0.1')
    await once(free, 'listening')
    const { port } = free.address() as AddressInfo
    await new Promise((closed) => free.close(closed))
    const address = `http://127.0.0.1:${port}`
    await using proxy = await FaultProxy.before(address)
    const hanging = {
      ...settings,
      SPOOR_PORT: String(port),
      SPOOR_NODE_ADDRESS: new URL(proxy.through(address)).origin,
    }
    await using node = await Service.start({ dataDir: NO_FOLDER, environment: hanging })
    await know(4, [...nodes, node])
    const isThere = (answer: Awaited<ReturnType<typeof post>>) =>
      String(answer.headers['x-spoor-node']).includes(`-${node.pid}-`)
    let key = ''
    await eventually('it owns a project', async () => {
      key = (await createProject(a.client, 'one of many')).key
      return isThere(await post(a, key, 'whose'))
    })
    proxy.hangs = true
    const lost = await post(a, key, 'lost')
    assert.deepEqual([lost.status, lost.headers['retry-after']], [503, '1'])
    assert.equal(await figure(a, 'spoor_nodes'), 4)
    const next = await post(a, key, 'next')
    assert.deepEqual([next.status, isThere(next)], [202, false])
    proxy.heal()
    await eventually('it is used again', async () => isThere(await post(a, key, 'whose')))
  })

  test('nodes with an address where nobody answers handle their requests themselves', async () => {
    const lost = { ...settings, SPOOR_NODE_ADDRESS: 'http://127.0.0.1:9' }
    const node = await Service.start({ dataDir: NO_FOLDER, environment: lost })
    after(() => node[Symbol.asyncDispose]())
    await know(4, [...nodes, node])
    const acknowledged = await underLoad([a, node], false, async () => {
      const before = await namesOf(keyOf(c), a)
      await eventually('more traces', async () => (await namesOf(keyOf(c), a)).length > before.length + 30)
    })
    for (const of of [...nodes, node]) await assertOnce(acknowledged, of)
  })
}
