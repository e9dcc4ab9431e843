/**
 * How well failed runs are told from successes, and planted edits found, on public runs of an agent; and the cost.
 *
 *     node bench/insight.bench.ts [--quick]
 */
import type { StepId } from '../packages/contract/src/ids.ts'
import { createRandom } from '../packages/clustering/src/partition/seeded-random.ts'
import { dotProduct, rowOf } from '../packages/clustering/src/matrix.ts'
import { atOnce } from '../packages/server/src/lib/flow/in-slices.ts'
import { distanceOf, firstDivergence } from '../packages/server/src/traces/insight/first-divergence.ts'
import { type ArgumentValue, OriginReader } from '../packages/server/src/traces/insight/find-origins.ts'
import { UsualArguments } from '../packages/server/src/traces/insight/usual-arguments.ts'
import { type Action, type Run, RunReader } from '../packages/server/src/traces/insight/run-actions.ts'
import { clearPatterns } from '../packages/server/src/traces/insight/find-patterns.ts'
import { argumentTerms } from '../packages/server/src/traces/rules/argument-terms.ts'
import { stepCalls } from '../packages/server/src/traces/intake/step-calls.ts'
import { NOTHING_SAID } from '../packages/server/src/traces/intake/step-said.ts'
import { NO_USAGE } from '../packages/server/src/traces/rules/rollup.ts'
import { findingsOf, NO_CALLS_YET, withCalls } from '../packages/server/src/traces/rules/run-calls.ts'
import type { PatternKind } from '../packages/contract/src/schemas/traces/failure-patterns.ts'
import { toolCalls } from '../packages/payloads/src/tool-calls.ts'
import { learnWeights, type ToolWeights } from '../packages/server/src/traces/insight/tool-weights.ts'
import { embedTraces } from './lib/clusters/embed-traces.ts'
import { readAirlineRuns, readLines } from './lib/clusters/labelled-traces.ts'
import { readOptions } from './lib/options.ts'
import { Report } from './lib/report.ts'

interface TraceLine {
  readonly metadata: { readonly task_id: number; readonly reward: number }
  readonly steps: readonly { readonly name: string; readonly type: string; readonly messages?: readonly object[] }[]
}

interface JudgedRun {
  readonly task: number
  readonly isSuccess: boolean
  readonly run: Run
}

const { quick } = readOptions()
const report = new Report('insight')
const lines = readLines<TraceLine, TraceLine>('airline-traces.jsonl', (line) => line)
if (lines === null) report.figure('quality', 'left out: there is no ../shared/data')
else {
  const runs = lines.map(({ metadata, steps }) => ({
    task: metadata.task_id,
    isSuccess: metadata.reward === 1,
    run: readRun(steps),
  }))
  outcomes(runs)
  plantedEdits(runs, quick ? 100 : 500)
  patterns(lines, quick ? 50 : 200)
  similarRuns()
  plantedValues(lines, quick ? 100 : 500)
  valuesFromNowhere(lines)
  plantedLoops(lines, quick ? 60 : 300)
}
cost()
report.end()

/** A failed run should be farther from the other successes of its task than a success. */
function outcomes(runs: readonly JudgedRun[]): void {
  const judged = runs.flatMap((one) => {
    const successes = successesOf(runs, one.task).filter((other) => other !== one)
    const weights = weightsWithout(runs, one.task)
    const distances = successes.map(({ run }) => distanceOf(one.run, run, weights).distance)
    return distances.length === 0 ? [] : [{ ...one, distance: Math.min(...distances) }]
  })
  const ordered = (together: (failed: JudgedRun, success: JudgedRun) => boolean) => {
    const orders = judged.flatMap((failed) =>
      judged
        .filter((one) => !failed.isSuccess && one.isSuccess && together(failed, one))
        .map((one) => (failed.distance > one.distance ? 1 : failed.distance === one.distance ? 0.5 : 0)),
    )
    const right = orders.reduce<number>((sum, order) => sum + order, 0)
    return { share: right / orders.length, remark: `${orders.length} pairs` }
  }
  const ofTask = ordered((failed, success) => failed.task === success.task)
  report.atLeast('pairs of one task in the right order', ofTask.share, 0.85, '', ofTask.remark)
  const pooled = ordered(() => true)
  report.atLeast('pooled AUC', pooled.share, 0.82, '', pooled.remark)
}

/** Patterns of one half of the tasks in the other half, and of outcomes that are dealt anew. */
function patterns(runs: readonly TraceLine[], shuffles: number): void {
  const features = runs.map(({ steps }) => featuresOf(steps))
  const failures = runs.map(({ metadata }) => metadata.reward !== 1)
  const tasks = [...new Set(runs.map(({ metadata }) => metadata.task_id))]
  const random = createRandom(3)
  const held = { same: 0, all: 0 }
  /** Of each pattern, splits in which it holds less those in which it does not. */
  const signs = new Map<string, number>()
  for (let split = 0; split < (quick ? 5 : 20); split += 1) {
    const half = new Set(shuffled(tasks, random).slice(0, tasks.length / 2))
    const isIn = runs.map(({ metadata }) => half.has(metadata.task_id))
    const [found, others] = [true, false].map((side) => {
      const among = isIn.flatMap((is, at) => (is === side ? [at] : []))
      return countFeatures(
        among.map((at) => features[at]!),
        among.map((at) => failures[at]!),
      )
    }) as [ReturnType<typeof countFeatures>, ReturnType<typeof countFeatures>]
    for (const { kind, name, value, moreIn } of atOnce(clearPatterns(found.features, found))) {
      const other = others.features.find((one) => one.kind === kind && one.name === name && one.value === value)
      if (other === undefined) continue
      const difference = other.failed / others.failed - other.succeeded / others.succeeded
      held.all += 1
      const isSame = difference > 0 === (moreIn === 'failed')
      held.same += isSame ? 1 : 0
      const pattern = `${kind} ${name} ${value}`
      signs.set(pattern, (signs.get(pattern) ?? 0) + (isSame ? 1 : -1))
    }
  }
  const remark = `${held.same} of ${held.all}`
  report.atLeast(
    'patterns of half of the tasks that point the same way in the other',
    held.same / held.all,
    0.8,
    '',
    remark,
  )
  const distinct = [...signs.values()].filter((sign) => sign !== 0)
  const p = signTest(distinct.filter((sign) => sign > 0).length, distinct.length)
  report.figure('… p of a sign test of the distinct ones', `${p.toExponential(1)}, ${distinct.length} patterns`)
  let alarms = 0
  for (let at = 0; at < shuffles; at += 1) {
    const counted = countFeatures(features, shuffled(failures, random))
    if (atOnce(clearPatterns(counted.features, counted)).length > 0) alarms += 1
  }
  report.atMost('shuffled outcomes with a pattern', alarms / shuffles, 0.05, '', `${alarms} of ${shuffles}`)
}

/** The chance of at least `hits` heads among `total` throws of a coin. */
function signTest(hits: number, total: number): number {
  let [p, logOfTerm] = [0, -total * Math.LN2]
  for (let at = 0; at <= total; at += 1) {
    if (at >= hits) p += Math.exp(logOfTerm)
    logOfTerm += Math.log((total - at) / (at + 1))
  }
  return p
}

/** As the engine finds them: tools, pairs of tools, arguments. */
function featuresOf(steps: TraceLine['steps']): readonly string[] {
  const calls = steps.map(({ type, name, messages }) => toolCalls(type, name, messages))
  const tools = calls.flat().map(({ name }) => name)
  const run = tools.filter((tool, at) => tool !== tools[at - 1])
  return [
    ...new Set([
      ...run.map((tool) => `tool\0${tool}`),
      ...run.slice(1).map((tool, at) => `tool_pair\0${run[at]}\0${tool}`),
      ...calls.flatMap((some) => argumentTerms(some)).map((term) => `argument\0${term}`),
    ]),
  ]
}

function countFeatures(runs: readonly (readonly string[])[], failures: readonly boolean[]) {
  const having = new Map<string, number[]>()
  for (const [at, features] of runs.entries())
    for (const feature of features) having.set(feature, [...(having.get(feature) ?? []), at])
  const failed = failures.filter((one) => one).length
  const features = [...having]
    .filter(([, runsWith]) => runsWith.length >= 3)
    .map(([feature, runsWith]) => {
      const [kind, name, value = null] = feature.split('\0') as [PatternKind, string, string?]
      const count = runsWith.filter((at) => failures[at]).length
      const [traces, examples] = [runsWith.join(), { failed: [], succeeded: [] }]
      return { kind, name, value, failed: count, succeeded: runsWith.length - count, traces, examples }
    })
  return { failed, succeeded: runs.length - failed, features }
}

function shuffled<T>(values: readonly T[], random: () => number): readonly T[] {
  return values
    .map((value) => ({ value, at: random() }))
    .sort((one, other) => one.at - other.at)
    .map(({ value }) => value)
}

function plantedEdits(runs: readonly JudgedRun[], count: number): void {
  const random = createRandom(1)
  const pick = <T>(from: readonly T[]) => from[Math.floor(random() * from.length)]!
  const successes = runs.filter(
    ({ isSuccess, task, run }) => isSuccess && run.actions.length > 1 && successesOf(runs, task).length > 1,
  )
  const strangers = runs.flatMap(({ run }) => run.actions)
  const found = { replaced: [0, 0], dropped: [0, 0], inserted: [0, 0], argument: [0, 0] }
  const kinds = Object.keys(found) as (keyof typeof found)[]
  for (let at = 0; at < count; at += 1) {
    const { task, run } = pick(successes)
    const kind = kinds[at % kinds.length]!
    const place = Math.floor(random() * run.actions.length)
    const edited = run.actions[place]!
    const stranger = () => ({ ...pick(strangers.filter(({ key }) => !run.keys.has(key))), stepId: 'planted' as StepId })
    const changed = { ...edited, key: `${edited.key} `, stepId: 'planted' as StepId }
    const [removed, put] = {
      replaced: [1, [stranger()]],
      dropped: [1, []],
      inserted: [0, [stranger()]],
      argument: [1, [changed]],
    }[kind] as [number, Action[]]
    const own = runOf(run.actions.toSpliced(place, removed, ...put))
    const weights = weightsWithout(runs, task)
    const compared = successesOf(runs, task)
      .map((one) => Object.assign(distanceOf(own, one.run, weights), { run: one.run }))
      .sort((one, other) => one.distance - other.distance)
    const answer = firstDivergence(own, compared)
    const isRight =
      typeof answer !== 'string' &&
      (kind === 'dropped' ? answer.missing?.tool === edited.tool : answer.stepId === ('planted' as StepId))
    found[kind][0]! += isRight ? 1 : 0
    found[kind][1]! += 1
  }
  const right = kinds.reduce((sum, kind) => sum + found[kind][0]!, 0)
  const remark = kinds.map((kind) => `${kind} ${found[kind].join('/')}`).join(', ')
  report.atLeast('planted edits found as first', right / count, 0.9, '', remark)
}

/** Loops in successful runs, and what is found in the runs themselves. */
function plantedLoops(runs: readonly TraceLine[], count: number): void {
  const random = createRandom(4)
  const below = (limit: number) => Math.floor(random() * limit)
  const successes = runs.filter(({ metadata }) => metadata.reward === 1)
  const text = (role: string, said: string) => ({ role, content: [{ type: 'text', text: said }] })
  const call = (name: string, input: object) => ({ role: 'assistant', content: [{ type: 'tool_use', name, input }] })
  const ran = (name: string, output: string) => [
    { name: 'turn', type: 'llm', messages: [text('user', 'Go on.'), call(name, { id: name })] },
    { name, type: 'retrieval', messages: [text('tool', output)] },
  ]
  const kinds = {
    repeated_call: () => ran('planted', 'none'),
    cycle: (_: number, most: number) => ['one', 'two', 'three'].slice(0, most).flatMap((name) => ran(name, 'none')),
    no_progress: () => [
      { name: 'turn', type: 'llm', messages: [text('user', 'Continue.'), text('assistant', 'Still on it.')] },
    ],
    poll: (round: number) => ran('poll', `${round} done`),
  }
  const found = { repeated_call: [0, 0], cycle: [0, 0], no_progress: [0, 0], poll: [0, 0] }
  for (let at = 0; at < count; at += 1) {
    const kind = (Object.keys(kinds) as (keyof typeof kinds)[])[at % 4]!
    const { steps } = successes[below(successes.length)]!
    const place = below(steps.length + 1)
    const [times, most] = [3 + below(8), 2 + below(2)]
    const loop = Array.from({ length: times }, (_, round) => kinds[kind](round, most)).flat()
    const is = findingsIn(steps.toSpliced(place, 0, ...loop)).some((one) => one === kind)
    found[kind][0]! += (kind === 'poll' ? findingsIn(loop).length === 0 : is) ? 1 : 0
    found[kind][1]! += 1
  }
  const [right, all] = [0, 1].map((side) => Object.values(found).reduce((sum, one) => sum + one[side]!, 0))
  const remark = Object.entries(found)
    .map(([kind, one]) => `${kind} ${one.join('/')}`)
    .join(', ')
  report.atLeast('loops: planted ones found, polls not', right! / all!, 1, '', remark)
  const clean = successes.filter(({ steps }) => findingsIn(steps).length === 0).length
  report.atLeast('loops: successful runs without one', clean / successes.length, 0.97, '', `${successes.length} runs`)
  const failures = runs.filter(({ metadata }) => metadata.reward !== 1)
  const failing = failures.filter(({ steps }) => findingsIn(steps).length > 0).length
  report.figure('loops: failed runs with one', `${failing} of ${failures.length}`)
}

/** As a commit finds them. The input of each call of a model is a history that grows. */
function findingsIn(steps: TraceLine['steps']): readonly string[] {
  let calls = NO_CALLS_YET
  for (const [at, { type, name, messages = [] }] of steps.entries()) {
    const tokenUsage = type === 'llm' ? { ...NO_USAGE, input: 100 * (at + 1), output: 10 } : null
    const step = { name, type, status: null, tokenUsage, calls: stepCalls(type, name, messages), said: NOTHING_SAID }
    calls = withCalls(calls, at, step, [])
  }
  return findingsOf(calls).map(({ kind }) => kind)
}

/** As `GET /v1/traces/:id/similar`, whose candidates are of one cluster. */
function similarRuns(): void {
  const runs = readAirlineRuns() ?? []
  const points = embedTraces(runs.length, (at) => runs[at]!.features, 128, createRandom(1))
  const isFound = runs.map(({ label }, own) => {
    const row = Float64Array.from(rowOf(points, own))
    const others = runs.map((one, at) => ({ label: one.label, similarity: dotProduct(rowOf(points, at), row, 0) }))
    const nearest = others.toSpliced(own, 1).sort((one, other) => other.similarity - one.similarity)
    return nearest.slice(0, 5).some((one) => one.label === label)
  })
  const share = isFound.filter((found) => found).length / runs.length
  report.atLeast('similar: the same task among the first five', share, 0.9, '', `${runs.length} runs`)
}

/** A value in a result or a message of a run, and in a call that follows later; or in the call alone. */
function plantedValues(runs: readonly TraceLine[], count: number): void {
  const random = createRandom(2)
  const below = (limit: number) => Math.floor(random() * limit)
  const letters = (length: number) => Array.from({ length }, () => 'BCDFGHJKLMNPQRSTVWXZ'[below(20)]).join('')
  const name = () => `${letters(1)}${letters(5).toLowerCase()}`
  const found = { copied: [0, 0], reformatted: [0, 0], prose: [0, 0], invented: [0, 0] }
  const kinds = Object.keys(found) as (keyof typeof found)[]
  const wellFounded = { found: 0, all: 0 }
  for (let at = 0; at < count; at += 1) {
    const kind = kinds[at % kinds.length]!
    const { steps } = runs[below(runs.length)]!
    const [first, second, code] = [name(), name(), `${letters(3)}${100 + below(900)}${letters(2)}`]
    const [day, month, amount] = [10 + below(19), below(12), 1000 + below(9000)]
    const date = `2031-${String(month + 1).padStart(2, '0')}-${day}`
    const monthName = new Date(Date.UTC(2031, month)).toLocaleString('en-US', { month: 'long', timeZone: 'UTC' })
    const phone = `${200 + below(700)} ${200 + below(700)} ${1000 + below(9000)}`
    /** As it is held first, and as it is an argument. */
    const forms: readonly (readonly [held: string, argument: string | number])[] = [
      [code, kind === 'reformatted' ? code.toLowerCase() : code],
      [`${first} ${second}`, kind === 'reformatted' ? `${first}_${second}`.toLowerCase() : `${first} ${second}`],
      [kind === 'reformatted' ? `${monthName} ${day}, 2031` : date, date],
      [kind === 'reformatted' ? `$${amount.toLocaleString('en-US')}.50` : `${amount}.5`, amount + 0.5],
      [phone, kind === 'reformatted' ? phone.replaceAll(' ', '-') : phone],
    ]
    const [held, argument] = forms[below(forms.length)]!
    const text =
      kind === 'prose'
        ? `Well, I think it is ${held}, or so I was told.`
        : JSON.stringify({ id: 7, value: held, more: [] })
    const planted = {
      name: 'planted',
      type: 'tool',
      messages: [{ role: kind === 'prose' ? 'user' : 'tool', content: [{ type: 'text', text }] }],
    }
    const call = [{ role: 'assistant', content: [{ type: 'tool_use', name: 'use', input: { value: argument } }] }]
    const place = below(steps.length)
    const edited = kind === 'invented' ? steps : steps.toSpliced(place, 0, planted)
    const reader = new OriginReader()
    for (const [index, { name: step, type, ...body }] of [
      ...edited,
      { name: 'use', type: 'tool', messages: call },
    ].entries())
      reader.add({ id: `st_${index}` as StepId, name: step, type, body: JSON.stringify(body) })
    const [value] = atOnce(reader.origins()).arguments
    const isRight = kind === 'invented' ? value?.origin === null : value?.origin?.stepId === `st_${place}`
    found[kind][0]! += isRight ? 1 : 0
    found[kind][1]! += 1
  }
  const share = (some: readonly (keyof typeof found)[]) => {
    const [right, all] = [0, 1].map((place) => some.reduce((sum, kind) => sum + found[kind][place]!, 0))
    return right! / all!
  }
  const remark = kinds.map((kind) => `${kind} ${found[kind].join('/')}`).join(', ')
  report.atLeast('origins: the right step', share(['copied', 'reformatted', 'prose']), 0.95, '', remark)
  report.atLeast('origins: invented values', share(['invented']), 0.95)
  for (const { metadata, steps } of runs) {
    if (metadata.reward !== 1) continue
    for (const [last, { type }] of steps.entries()) {
      if (type !== 'llm') continue
      const reader = new OriginReader()
      for (const [index, { name: step, type: of, ...body }] of steps.slice(0, last + 1).entries())
        reader.add({ id: `st_${index}` as StepId, name: step, type: of, body: JSON.stringify(body) })
      for (const { origin } of atOnce(reader.origins()).arguments) {
        wellFounded.all += 1
        wellFounded.found += origin === null ? 0 : 1
      }
    }
  }
  report.figure('origins: arguments of successes that have one', `${wellFounded.found} of ${wellFounded.all}`)
}

/** As the service finds them when it has searched all runs. */
function valuesFromNowhere(all: readonly TraceLine[]): void {
  const begunAt = performance.now()
  const runs = all.map(({ metadata, steps }) => {
    const reader = new OriginReader()
    for (const [index, { name, type, ...body }] of steps.entries())
      reader.add({ id: `st_${index}` as StepId, name, type, body: JSON.stringify(body) })
    return { isSuccess: metadata.reward === 1, values: atOnce(reader.values()) ?? [] }
  })
  report.figure('values from nowhere: a run', `${((performance.now() - begunAt) / runs.length).toFixed(1)} ms`)
  // As a service: each run is judged by those before it.
  const usual = new UsualArguments()
  const findings = new Set<ArgumentValue>()
  for (const { values } of runs) {
    for (const value of values) usual.count(value)
    for (const value of values) if (!value.isFounded && usual.has(value)) findings.add(value)
  }
  const isFinding = (value: ArgumentValue) => findings.has(value)
  const callsOf = (isSuccess: boolean, counts: (value: ArgumentValue) => boolean) =>
    runs
      .filter((run) => run.isSuccess === isSuccess)
      .reduce((sum, { values }) => sum + new Set(values.filter(counts).map(({ tool, at }) => `${at} ${tool}`)).size, 0)
  const [calls, falseOnes] = [callsOf(true, () => true), callsOf(true, isFinding)]
  const remark = `${falseOnes} of ${calls} calls with arguments; ${callsOf(false, isFinding)} in failed runs`
  report.atMost('values from nowhere: false ones in calls of successes', falseOnes / calls, 0.02, '', remark)
}

/** Runs of 3,000 different steps. */
function cost(): void {
  const long = (seed: number) =>
    readRun(
      Array.from({ length: 3000 }, (_, at) => ({
        name: `tool ${at % 40}`,
        type: 'tool',
        messages: [
          {
            role: 'assistant',
            content: [{ type: 'tool_use', name: `tool ${at % 40}`, input: { at, seed: at % 7 === 0 ? seed : 0 } }],
          },
        ],
      })),
    )
  const cpuOf = <T>(work: () => T): readonly [T, number] => {
    const before = process.cpuUsage()
    const result = work()
    const { user, system } = process.cpuUsage(before)
    return [result, (user + system) / 1000]
  }
  const compare = (own: Run, successes: readonly Run[]) => {
    const weights = learnWeights([{ successes, failures: [] }])
    return firstDivergence(
      own,
      successes.map((run) => Object.assign(distanceOf(own, run, weights), { run })),
    )
  }
  const [, reading] = cpuOf(() => compare(long(0), [long(1)]))
  report.atMost('reading and comparing two runs of 3,000 steps: CPU', reading, 300, 'ms')
  const [own, ...successes] = Array.from({ length: quick ? 6 : 51 }, (_, seed) => long(seed)) as [Run, ...Run[]]
  const [, comparing] = cpuOf(() => compare(own, successes))
  report.atMost(`comparing one with ${successes.length} that are read: CPU`, comparing, 300, 'ms')
}

function readRun(steps: TraceLine['steps']): Run {
  const reader = new RunReader()
  for (const [at, { name, type, ...body }] of steps.entries()) {
    reader.add({ id: `st_${at}` as StepId, name, type, status: 'ok', body: JSON.stringify(body) })
  }
  return reader.run()
}

function runOf(actions: readonly Action[]): Run {
  const [keys, tools] = [new Set(actions.map(({ key }) => key)), new Set(actions.map(({ tool }) => tool))]
  return { actions, keys, tools, lastStepId: 'last' as StepId }
}

function successesOf(runs: readonly JudgedRun[], task: number): readonly JudgedRun[] {
  return runs.filter((one) => one.isSuccess && one.task === task)
}

/** From runs of other tasks alone. */
function weightsWithout(runs: readonly JudgedRun[], task: number): ToolWeights {
  const others = runs.filter((one) => one.task !== task)
  const runsOf = (some: readonly JudgedRun[], isSuccess: boolean) =>
    some.flatMap((one) => (one.isSuccess === isSuccess ? [one.run] : []))
  const tasks = [...Map.groupBy(others, (one) => one.task).values()]
  return learnWeights(tasks.map((some) => ({ successes: runsOf(some, true), failures: runsOf(some, false) })))
}
