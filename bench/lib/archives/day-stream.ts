import { sampleIndexes } from '../../../packages/clustering/src/partition/seeded-random.ts'
import type { ProjectTrace } from '../clusters/cluster-project.ts'
import { generateTopic } from '../clusters/generated-topics.ts'
import { featured, type LabelledText, type LabelledTrace } from '../clusters/labelled-traces.ts'

/** Returns more requests of one topic, as many as requested. */
export type TopicSource = (count: number) => readonly LabelledTrace[]

/** `count` topics in an invented language. */
export function generatedTopics(count: number, random: () => number): TopicSource[] {
  return Array.from({ length: count }, (_, topic) => (traces) => generateTopic(topic, traces, random))
}

/**
 * Randomly drawn intents whose requests come once each, in random order. That is realistic, but the supply is small.
 */
export function intentsOnce(texts: readonly LabelledText[], count: number, random: () => number): TopicSource[] {
  return drawIntents(texts, count, random).map((requests) => {
    const left = requests
      .map((request) => ({ request, by: random() }))
      .sort((a, b) => a.by - b.by)
      .map(({ request }) => request)
    return (traces) => left.splice(0, traces).map(featured)
  })
}

/**
 * Intents with an endless supply: each request joins the beginning of one of the intent's 30 requests and the end of
 * another. Words and phrases are realistic, but there are no words beyond those of the 30.
 */
export function intentsRecombined(texts: readonly LabelledText[], count: number, random: () => number): TopicSource[] {
  return drawIntents(texts, count, random).map((requests) => {
    const draw = () => requests[Math.floor(random() * requests.length)]!
    const recombined = (): LabelledTrace => {
      const [first, second] = [draw().text.split(' '), draw().text.split(' ')]
      const cut = random()
      const words = [
        ...first.slice(0, Math.round(cut * first.length)),
        ...second.slice(Math.round(cut * second.length)),
      ]
      return featured({ label: draw().label, text: words.join(' ') })
    }
    return (traces) => Array.from({ length: traces }, recombined)
  })
}

function drawIntents(texts: readonly LabelledText[], count: number, random: () => number): LabelledText[][] {
  const intents = [...Map.groupBy(texts, ({ label }) => label).values()]
  return Array.from(sampleIndexes(intents.length, count, random), (index) => intents[index]!)
}

/** A day's traces, the same number for each topic. No other day has these ids. */
export function dayOf(sources: readonly TopicSource[], perDay: number, day: number): ProjectTrace[] {
  const each = Math.round(perDay / sources.length)
  const bySource = sources.map((source) => source(each))
  return Array.from({ length: each }, (_, turn) => bySource.flatMap((traces) => traces[turn] ?? []))
    .flat()
    .map((trace, index) => Object.assign({}, trace, { id: `tr_${day}_${String(index).padStart(6, '0')}` }))
}
