import { existsSync, readFileSync } from 'node:fs'
import { createRandom, evenSample, sampleIndexes } from '../../../packages/clustering/src/partition/seeded-random.ts'
import { featuresOf, type Features } from '../../../packages/clustering/src/text/features.ts'
import { findTemplate } from '../../../packages/clustering/src/text/template.ts'
import { textOf, type StepText } from '../../../packages/clustering/src/text/trace-text.ts'

/** The features of a trace, and the topic that people assigned to it. */
export interface LabelledTrace {
  readonly label: string
  readonly features: Features
}

/** Beside the checkout, never in it; for a work tree one folder further up. */
const FOLDERS = ['../../../../shared/data/', '../../../../../shared/data/'].map(
  (path) => new URL(path, import.meta.url),
)
const DATA_FOLDER = FOLDERS.find((folder) => existsSync(folder))

export interface LabelledText {
  readonly label: string
  readonly text: string
}

/** Requests of CLINC150's test set, 30 for each of 150 intents; null when the data is not there. */
export function readIntentTexts(): LabelledText[] | null {
  return readLines<LabelledText, LabelledText>('clinc150-test.jsonl', ({ text, label }) => ({ text, label }))
}

/** The same as features. */
export function readIntents(): LabelledTrace[] | null {
  return readIntentTexts()?.map(featured) ?? null
}

export function featured({ label, text }: LabelledText): LabelledTrace {
  return { label, features: featuresOf(textOf([asked(text)])) }
}

/** The same behind one policy of some 500 words in the message; with `isKnown`, as the template of a project. */
export function readIntentsBehindPolicy(isKnown: boolean): LabelledTrace[] | null {
  const intents = readIntentTexts()
  if (intents === null) return null
  const policy = wordsOf(intents, 500).join(' ')
  const behind = intents.map(({ label, text }) => ({ label, text: `${policy}\n\n${text}` }))
  const sample = Array.from(evenSample(behind.length, 100), (at) => behind[at]!.text)
  const template = new Set(isKnown ? findTemplate(sample) : [])
  return behind.map(({ label, text }) => ({ label, features: featuresOf(textOf([asked(text)], undefined, template)) }))
}

/** Words of the requests themselves, so that no word of the policy is foreign to them. */
function wordsOf(intents: readonly LabelledText[], count: number): readonly string[] {
  const random = createRandom(1)
  const words = intents.flatMap(({ text }) => text.split(' '))
  return Array.from({ length: count }, () => words[Math.floor(words.length * random())]!)
}

/** Runs of an airline's agent, four for each of 40 tasks; null when the data is not there. */
export function readAirlineRuns(): LabelledTrace[] | null {
  return readLines<TraceLine, LabelledTrace>('airline-traces.jsonl', ({ metadata, steps }) => ({
    label: `${metadata.task_id}`,
    features: featuresOf(textOf(steps.map(toStepText))),
  }))
}

/** All requests of `count` intents drawn at random. */
export function drawLabels<T extends { readonly label: string }>(
  traces: readonly T[],
  count: number,
  random: () => number,
): T[] {
  const labels = [...new Set(traces.map(({ label }) => label))]
  const drawn = new Set(Array.from(sampleIndexes(labels.length, count, random), (index) => labels[index]))
  return traces.filter(({ label }) => drawn.has(label))
}

export function asked(text: string): StepText {
  return {
    name: 'answer',
    type: 'llm',
    failed: false,
    errorType: null,
    errorMessage: null,
    tools: [],
    messages: [{ role: 'user', texts: [text] }],
  }
}

interface TraceLine {
  readonly metadata: { readonly task_id: number }
  readonly steps: readonly {
    readonly name: string
    readonly type?: string
    readonly messages?: readonly { readonly role: string; readonly content?: readonly { readonly text?: string }[] }[]
  }[]
}

function toStepText({ name, type = 'other', messages = [] }: TraceLine['steps'][number]): StepText {
  const texts = messages.map(({ role, content = [] }) => ({ role, texts: content.flatMap(({ text }) => text ?? []) }))
  return { name, type, failed: false, errorType: null, errorMessage: null, tools: [], messages: texts }
}

export function readLines<Line, Trace>(name: string, toTrace: (line: Line) => Trace): Trace[] | null {
  if (DATA_FOLDER === undefined) return null
  const lines = readFileSync(new URL(name, DATA_FOLDER), 'utf8').trim().split('\n')
  return lines.map((line) => toTrace(JSON.parse(line) as Line))
}
