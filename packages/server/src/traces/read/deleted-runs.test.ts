import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DeletedRuns } from './deleted-runs.ts'
import { idAt, OTHER_PROJECT, PROJECT } from '../trace-builders.test-support.ts'

const id = (number: number) => idAt('tr', 1, number)

test('a walk inside a run continues at its far end; adjacent runs are joined', () => {
  const runs = new DeletedRuns()
  runs.note(PROJECT, id(100), id(200), 100)
  runs.note(PROJECT, id(200), id(300), 100)
  runs.note(PROJECT, id(500), id(510), 3)
  assert.equal(runs.beyond(PROJECT, id(250), 'desc'), id(100))
  assert.equal(runs.beyond(PROJECT, id(100), 'asc'), id(300))
  for (const number of [99, 301, 505]) assert.equal(runs.beyond(PROJECT, id(number), 'desc'), null)
  assert.equal(runs.beyond(OTHER_PROJECT, id(250), 'desc'), null)
})

test('of what lists meet first, the share that is not deleted is remembered; runs do not count', () => {
  const runs = new DeletedRuns()
  const met = Array.from({ length: 60 }, (_, at) => ({ id: id(100 + at) }))
  const every = (nth: number) => new Set(met.flatMap((one, at) => (at % nth === 0 ? [one.id] : [])))
  assert.equal(runs.liveShare(PROJECT, 'desc'), 1)
  runs.noteShare(PROJECT, 'desc', met, every(2))
  assert.deepEqual([runs.liveShare(PROJECT, 'desc'), runs.liveShare(OTHER_PROJECT, 'desc')], [0.5, 1])
  runs.noteShare(PROJECT, 'desc', met.slice(0, 10), new Set())
  assert.equal(runs.liveShare(PROJECT, 'desc'), 0.5, 'too few to tell')
  runs.noteShare(PROJECT, 'desc', met, every(1))
  assert.equal(runs.liveShare(PROJECT, 'desc'), 0.25)
  assert.equal(runs.liveShare(PROJECT, 'asc'), 1)
  runs.note(PROJECT, id(100), id(139), 40)
  runs.noteShare(PROJECT, 'desc', met, new Set(met.slice(0, 45).map((one) => one.id)))
  assert.equal(runs.liveShare(PROJECT, 'desc'), 0.75)
  runs.noteShare(PROJECT, 'desc', met, new Set())
  assert.equal(runs.liveShare(PROJECT, 'desc'), 1)
})

test('the number of runs is limited, and the newest are kept', () => {
  const runs = new DeletedRuns()
  for (let run = 0; run < 1100; run++) runs.note(PROJECT, id(run * 10), id(run * 10 + 5), 100)
  assert.equal(runs.beyond(PROJECT, id(3), 'desc'), null)
  assert.equal(runs.beyond(PROJECT, id(10_993), 'desc'), id(10_990))
})

test('a run ends with an imported trace in it, and only with that; every import changes the count', () => {
  const runs = new DeletedRuns(id(1000))
  const trace = { projectId: PROJECT, deleted: false, updatedAt: null }
  const note = () => runs.note(PROJECT, id(100), id(200), 100)
  note()
  const { imports } = runs
  runs.committed([
    { ...trace, id: id(1001) },
    { ...trace, id: id(150), deleted: true },
    { ...trace, id: id(150), updatedAt: 1 },
  ])
  assert.equal(runs.imports, imports)
  runs.committed([
    { ...trace, id: id(201) },
    { ...trace, id: id(150), projectId: OTHER_PROJECT },
  ])
  assert.equal(runs.imports, imports + 2)
  assert.equal(runs.beyond(PROJECT, id(150), 'desc'), id(100))
  runs.committed([{ ...trace, id: id(150) }])
  assert.equal(runs.beyond(PROJECT, id(120), 'desc'), null)
  note()
  assert.equal(runs.beyond(PROJECT, id(120), 'desc'), id(100))
})

test('runs of projects whose commits were missed are forgotten, and what is imported into others still ends theirs', () => {
  const runs = new DeletedRuns(id(1000))
  runs.note(PROJECT, id(100), id(200), 100)
  runs.note(OTHER_PROJECT, id(100), id(3000), 100)
  const { imports } = runs
  runs.missed((projectId) => projectId === PROJECT, id(2000))
  assert.equal(runs.imports, imports + 1)
  assert.equal(runs.beyond(PROJECT, id(150), 'desc'), null)
  assert.equal(runs.beyond(OTHER_PROJECT, id(150), 'desc'), id(100))
  runs.committed([{ projectId: OTHER_PROJECT, deleted: false, updatedAt: null, id: id(2500) }])
  assert.equal(runs.beyond(OTHER_PROJECT, id(150), 'desc'), null)
})
