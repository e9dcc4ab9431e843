import { FEATURE_BUCKETS, FEATURE_KINDS, type FeatureKind, type Features } from './features.ts'
import type { FeatureColumns } from './weigh-features.ts'

/** Columns of the features that count in a sample, kind by kind and bucket by bucket. */
export interface ChosenColumns extends FeatureColumns {
  /** The bucket of each column, ascending within a kind. */
  readonly buckets: Readonly<Record<FeatureKind, Uint16Array>>
}

/** A feature of one trace tells of no group, one of many tells groups not apart. */
const LEAST_FREQUENCY = 2
const GREATEST_SHARE = 0.4
/** Of more features those count that are in most traces: a basis stays below five megabytes. */
const MOST_COLUMNS = 32_768

export function chooseColumns(sample: readonly Features[]): ChosenColumns {
  const frequencies = countTraces(sample)
  const least = leastFrequency(frequencies, GREATEST_SHARE * sample.length)
  const counts = (frequency: number): boolean => frequency >= least && frequency <= GREATEST_SHARE * sample.length
  const idf: number[] = []
  const choose = (kind: FeatureKind): { columns: Int32Array; buckets: Uint16Array } => {
    const columns = new Int32Array(FEATURE_BUCKETS).fill(-1)
    const buckets: number[] = []
    frequencies[kind].forEach((frequency, bucket) => {
      if (!counts(frequency)) return
      columns[bucket] = idf.length
      buckets.push(bucket)
      idf.push(Math.log((1 + sample.length) / (1 + frequency)) + 1)
    })
    return { columns, buckets: Uint16Array.from(buckets) }
  }
  const [words, grams, steps] = [choose('words'), choose('grams'), choose('steps')]
  return {
    columns: { words: words.columns, grams: grams.columns, steps: steps.columns },
    buckets: { words: words.buckets, grams: grams.buckets, steps: steps.buckets },
    idf: Float32Array.from(idf),
  }
}

type Frequencies = Readonly<Record<FeatureKind, Uint32Array>>

function countTraces(sample: readonly Features[]): Frequencies {
  const empty = (): Uint32Array => new Uint32Array(FEATURE_BUCKETS)
  const frequencies = { words: empty(), grams: empty(), steps: empty() }
  for (const features of sample) {
    for (const kind of FEATURE_KINDS) for (const bucket of features[kind].buckets) frequencies[kind][bucket]!++
  }
  return frequencies
}

/** The least frequency at which no more than MOST_COLUMNS remain. */
function leastFrequency(frequencies: Frequencies, greatest: number): number {
  const all = FEATURE_KINDS.flatMap((kind) => [...frequencies[kind].filter((frequency) => frequency <= greatest)])
  const rarest = all.sort((a, b) => b - a)[MOST_COLUMNS] ?? 0
  return Math.max(LEAST_FREQUENCY, rarest + 1)
}
