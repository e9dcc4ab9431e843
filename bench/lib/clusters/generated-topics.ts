import { featuresOf } from '../../../packages/clustering/src/text/features.ts'
import { textOf } from '../../../packages/clustering/src/text/trace-text.ts'
import { asked, type LabelledTrace } from './labelled-traces.ts'

const SYLLABLES = 'ba ce di fo gu ka le mi no pu ra se ti vo zu bel cor dan fin gal'.split(' ')
const OWN_WORDS = 15
const COMMON_WORDS = 150
/** Share of a request's words that are specific to its topic. */
const OWN_SHARE = 0.35

/**
 * Requests about a topic in an invented language: a few words of the topic among words of all requests, both
 * distributed by Zipf's law.
 */
export function generateTopic(topic: number, count: number, random: () => number): LabelledTrace[] {
  return Array.from({ length: count }, () => {
    const length = 6 + Math.floor(12 * random())
    const words = Array.from({ length }, () =>
      random() < OWN_SHARE ? word(topic + 1, zipf(OWN_WORDS, random)) : word(0, zipf(COMMON_WORDS, random)),
    )
    return { label: `topic ${topic}`, features: featuresOf(textOf([asked(words.join(' '))])) }
  })
}

function zipf(count: number, random: () => number): number {
  return Math.floor(Math.exp(random() * Math.log(count + 1))) - 1
}

/** The word of that rank in the vocabulary of a topic, 0 for the common one. */
function word(vocabulary: number, rank: number): string {
  let number = Math.imul(vocabulary * 1009 + rank + 1, 0x9e3779b1) >>> 0
  let text = ''
  for (let syllable = 0; syllable < 3; syllable++) {
    text += SYLLABLES[number % SYLLABLES.length]!
    number = Math.floor(number / SYLLABLES.length)
  }
  return text
}
