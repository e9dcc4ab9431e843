/**
 * What each rule of the clustering is worth: figures on labelled requests and scenarios with the rule switched off,
 * beside the figures of the whole pipeline on the same draws, and how many unit tests fail without it. A rule is
 * switched off by substitutions in a copy of the package, each of which must match exactly once.
 *
 *     node bench/cluster-ablation.bench.ts [--quick] [--from SEED] [--only WORDS]
 */
import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { figuresOf as MeasureFigures } from './lib/clusters/ablation-figures.ts'
import { RULES, type Rule } from './lib/clusters/ablation-rules.ts'
import { DATA_FOLDER } from './lib/clusters/labelled-traces.ts'
import { inTemporaryFolder, readOptions } from './lib/options.ts'
import { mean } from './lib/percentile.ts'
import { Report } from './lib/report.ts'

type Figures = Readonly<Record<string, number>>

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const WHOLE: Rule = { name: 'whole', cuts: [] }
const PACKAGE = 'packages/clustering'
/** A figure moved if the mean of its paired differences is at least this many standard errors. */
const LEAST_ERRORS = 3
const MOST_SHOWN = 6

const { quick, from: firstSeed, only } = readOptions()
const SEEDS = Array.from({ length: quick ? 8 : 24 }, (_, index) => firstSeed + index)
const report = new Report(`Clusters without each rule, ${SEEDS.length} draws`)
if (DATA_FOLDER === undefined) report.figure('CLINC150', 'left out: there is no ../shared/data')
else await inTemporaryFolder(ablate)
report.end()

async function ablate(folder: string): Promise<void> {
  mkdirSync(join(folder, 'shared'))
  symlinkSync(DATA_FOLDER!, join(folder, 'shared/data'))
  const whole = await figuresOf(patchedCopy(folder, WHOLE), WHOLE)
  for (const name of Object.keys(whole[0]!)) {
    const { value, error } = estimate(whole.map((figures) => figures[name]!))
    report.figure(name, `${show(value)} ± ${show(error)}`)
  }
  for (const rule of RULES.filter(({ name }) => only === null || name.includes(only))) {
    const copy = patchedCopy(folder, rule)
    const moved = movedFigures(whole, await figuresOf(copy, rule))
    const shown = moved.slice(0, MOST_SHOWN).map(({ text }) => text)
    report.figure(`without ${rule.name}`, [...shown, failedTests(copy)].join('; '))
  }
}

/** A copy of the package and of what measures it, in which the rule is switched off. */
function patchedCopy(folder: string, { name, cuts }: Rule): string {
  const copy = join(folder, name.replaceAll(/\W+/g, '-'))
  for (const part of ['package.json', 'bench/lib', PACKAGE]) {
    cpSync(join(ROOT, part), join(copy, part), { recursive: true, filter: (path) => !path.endsWith('node_modules') })
  }
  symlinkSync(join(ROOT, 'node_modules'), join(copy, 'node_modules'))
  for (const [path, from, to] of cuts) {
    const file = join(copy, PACKAGE, 'src', path)
    const source = readFileSync(file, 'utf8')
    const found = source.split(from).length - 1
    if (found !== 1) throw new Error(`${name}: ${found} matches in ${path} of ${from}`)
    writeFileSync(
      file,
      source.replace(from, () => to),
    )
  }
  return copy
}

async function figuresOf(copy: string, { cuts }: Rule): Promise<Figures[]> {
  const url = new URL(`file://${join(copy, 'bench/lib/clusters/ablation-figures.ts')}`)
  const { figuresOf: measure } = (await import(url.href)) as { readonly figuresOf: typeof MeasureFigures }
  const paths = cuts.map(([path]) => path)
  return SEEDS.map((seed) => measure(seed, paths))
}

/** The clearest first. */
function movedFigures(whole: readonly Figures[], without: readonly Figures[]): readonly { readonly text: string }[] {
  return Object.keys(without[0]!)
    .flatMap((name) => {
      const { value, error } = estimate(without.map((figures, draw) => figures[name]! - whole[draw]![name]!))
      const errors = Math.abs(value) / error
      if (value === 0 || errors < LEAST_ERRORS) return []
      const [before, after] = [whole, without].map((all) => mean(all.map((figures) => figures[name]!)))
      return [{ errors, text: `${name} ${show(before!)} → ${show(after!)}` }]
    })
    .sort((a, b) => b.errors - a.errors)
}

function estimate(values: readonly number[]): { readonly value: number; readonly error: number } {
  const value = mean(values)
  const squares = values.reduce((sum, one) => sum + (one - value) ** 2, 0)
  return { value, error: Math.sqrt(squares / (values.length - 1) / values.length) }
}

function failedTests(copy: string): string {
  const { stdout } = spawnSync(process.execPath, ['--test', '--test-reporter=tap', `${PACKAGE}/src/**/*.test.ts`], {
    cwd: copy,
    encoding: 'utf8',
    maxBuffer: 1e9,
  })
  const names = Array.from(stdout.matchAll(/^ *not ok \d+ - (.*)$/gm), ([, name]) => name)
  return names.length === 0 ? 'no test fails' : `${names.length} tests fail: ${names[0]}`
}

function show(value: number): string {
  return value.toFixed(3)
}
