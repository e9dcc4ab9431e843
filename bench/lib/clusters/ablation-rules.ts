/** A rule, and the substitutions (file in `src`, text, its replacement) that switch it off. */
export interface Rule {
  readonly name: string
  readonly cuts: readonly (readonly [path: string, from: string, to: string])[]
}

const rule = (name: string, ...cuts: Rule['cuts']): Rule => ({ name, cuts })

export const RULES: readonly Rule[] = [
  // Words and weights.
  rule('stems', ['text/stem-word.ts', 'if (word.length < 4 ||', 'if (word.length > 0 ||']),
  rule('stems: final e', [
    'text/stem-word.ts',
    'withoutFinalE(withoutTense(withoutPlural(word)))',
    'withoutTense(withoutPlural(word))',
  ]),
  rule('stems: tense', ['text/stem-word.ts', 'withoutTense(withoutPlural(word))', 'withoutPlural(word)']),
  rule('single letters left out', ['text/cut-words.ts', 'if (SINGLE_LETTER.test(word)) continue', '']),
  rule('digits as 0', ['text/cut-words.ts', ".replace(ASCII_DIGITS, '0')", '']),
  rule('character n-grams', ['embedding/basis.ts', 'grams: 0.4', 'grams: 0']),
  rule('names of steps', ['embedding/basis.ts', 'steps: 0.25', 'steps: 0']),
  rule('weights of kinds', ['embedding/basis.ts', 'words: 1, grams: 0.4, steps: 0.25', 'words: 1, grams: 1, steps: 1']),
  rule('length of each kind', [
    'text/weigh-features.ts',
    'KIND_WEIGHTS[kind] / Math.sqrt(squares)',
    'KIND_WEIGHTS[kind]',
  ]),
  rule('whole names of steps', ['text/features.ts', 'if (parts.length > 1) steps', 'if (parts.length > 99) steps']),
  rule('repeated messages count once', ['text/trace-text.ts', 'if (asked.has(text)) continue', '']),
  rule('dampened counts', ['text/weigh-features.ts', '(count === 1 ? 1 : 1 + Math.log(count))', 'count']),
  rule('inverse frequency', [
    'embedding/basis.ts',
    'return Math.log((1 + sampleSize) / (1 + traces)) + 1',
    'return 1 + 0 * traces * sampleSize',
  ]),
  rule('features of one trace left out', ['text/feature-columns.ts', 'LEAST_FREQUENCY = 2', 'LEAST_FREQUENCY = 1']),
  rule('features of most traces left out', ['text/feature-columns.ts', 'GREATEST_SHARE = 0.5', 'GREATEST_SHARE = 1']),
  // Directions.
  rule('few traces have few directions', ['embedding/fit-basis.ts', 'Math.min(rank, rankFor(sample.length))', 'rank']),
  rule('power iterations', ['embedding/truncated-svd.ts', 'POWER_ITERATIONS = 2', 'POWER_ITERATIONS = 0']),
  rule('oversampling', ['embedding/truncated-svd.ts', 'OVERSAMPLING = 10', 'OVERSAMPLING = 0']),
  rule('fit again: strange traces', ['text/familiarity.ts', 'strange > STRANGE_IN_WINDOW * window.length ||', '']),
  rule('fit again: risen words', ['text/familiarity.ts', '|| hasRisenWord(basis, window)', '']),
  rule('risen words: most spread', ['text/familiarity.ts', '|| hits > MOST_SPREAD * window.length', '']),
  rule('risen words: ratio', ['text/familiarity.ts', 'return rose && ', 'return ']),
  rule('risen words: standard errors', [
    'text/familiarity.ts',
    '&& shareDifferenceZ(before, after) > RISEN_Z',
    '&& shareDifferenceZ(before, after) > 0',
  ]),
  // Partition.
  rule('seeds: best of several', ['partition/seed-centroids.ts', '2 + Math.floor(Math.log(Math.max(1, k)))', '1']),
  rule('seeds: by distance', [
    'partition/seed-centroids.ts',
    'const distance = 1 - cosine < SAME ? 0 : Math.min(known, 1 - cosine)',
    'const distance = 1 - cosine < SAME ? 0 : known',
  ]),
  rule('k: silhouette', ['partition/choose-k.ts', 'silhouettes[index]! + elbows[index]!', 'elbows[index]!']),
  rule('k: elbow', ['partition/choose-k.ts', 'silhouettes[index]! + elbows[index]!', 'silhouettes[index]!']),
  rule('k: elbow over the root of k', ['partition/choose-k.ts', 'Math.sqrt(partition.k)', 'partition.k']),
  rule('k: narrowed range', ['partition/choose-k.ts', 'Math.max(LEAST_RANGE, NARROWING * chosen.k)', 'Infinity']),
  // Later runs.
  rule('start from the last run', [
    'discover.ts',
    'const warm = warmStart({ points, previous, before, kMin, kMax, random, thresholds })',
    'const warm = before.length < 0 ? warmStart({ points, previous, before, kMin, kMax, random, thresholds }) : null',
  ]),
  rule('emptied clusters are dropped first', ['identity/warm-start.ts', 'now === 0 || lostTraces ||', 'now === 0 ||']),
  rule('emptied clusters: share', [
    'identity/warm-start.ts',
    'const lostTraces = shrank && ',
    'const lostTraces = shrank === shrank && ',
  ]),
  rule('unmatched clusters are dropped', [
    'identity/drop-unmatched.ts',
    'if (k <= kMin) return rest',
    'if (k > 0) return rest',
  ]),
  rule('unmatched: earned places', [
    'identity/drop-unmatched.ts',
    'rest.matches[cluster] === null && !earnsPlace(cluster)',
    'rest.matches[cluster] === null && !(cluster >= k - added) || earnsPlace(cluster) === null',
  ]),
  rule('unmatched: no id is lost', [
    'identity/drop-unmatched.ts',
    'if (keptCount(without) < keptCount(rest)) continue',
    '',
  ]),
  rule('unmatched: least loss first', ['identity/drop-unmatched.ts', 'losses[a]! - losses[b]! || a - b', 'a - b']),
  rule('added ones proved their gain', ['identity/drop-unmatched.ts', 'cluster >= k - added || losses', 'losses']),
  rule('new: old centroids stay', [
    'identity/find-new-clusters.ts',
    'hasOverlap(run) ? old : sphericalKMeans(points, old).centroids',
    'sphericalKMeans(points, old).centroids',
  ]),
  rule('new: old centroids settle first without overlap', [
    'identity/find-new-clusters.ts',
    'hasOverlap(run) ? old : sphericalKMeans(points, old).centroids',
    'old',
  ]),
  rule('new: three places', ['identity/find-new-clusters.ts', 'MOST_PLACES = 3', 'MOST_PLACES = 1']),
  rule('new: gain', ['identity/thresholds.ts', 'newGain: 0.03', 'newGain: 0']),
  rule('new: refused gain', ['identity/thresholds.ts', 'refusedGainRatio: 1.5', 'refusedGainRatio: 0']),
  rule('new: of unseen traces', [
    'identity/newness.ts',
    'return grew && shareDifferenceZ(seen, unseen) > thresholds.shareZ',
    'return grew || !grew',
  ]),
  rule('new: half as large again', ['identity/newness.ts', 'return grew && ', 'return ']),
  rule('new: weights of places', [
    'identity/newness.ts',
    'if (!hasOverlap(run)) return () => 1',
    'if (run.before.length > 0) return () => 1',
  ]),
  rule('new: one trial', ['identity/grow-by-one.ts', 'TRIALS = 16', 'TRIALS = 3']),
  rule('new: places settle', ['identity/grow-by-one.ts', 'ROUNDS = 4', 'ROUNDS = 1']),
  rule('new: alike places', [
    'identity/grow-by-one.ts',
    'if (!places.some(({ direction }) => dot(direction, place.direction) > ALIKE)) places',
    'places',
  ]),
  rule('new ones given back', [
    'identity/warm-start.ts',
    'if (keptCount(grown) >= keptCount(without) - count) return',
    'return',
  ]),
  rule('at k_max the weakest is replaced', [
    'identity/warm-start.ts',
    'return replaceWeakest(grown.partition, without.partition, run)',
    'return keptCount(grown) < 0 ? replaceWeakest(grown.partition, without.partition, run) : without.partition',
  ]),
  // Identity.
  rule('pairs: by traces', ['identity/thresholds.ts', 'leastCommonTraces: 20', 'leastCommonTraces: 1e9']),
  rule('pairs: centroids as samples', [
    'identity/sampled-centroids.ts',
    'return Math.sqrt(Math.min(1, Math.max(0, own / square)))',
    'return own === own ? 1 : 0',
  ]),
  rule('pairs: least expected', ['identity/match-clusters.ts', 'LEAST_EXPECTED = 0.6', 'LEAST_EXPECTED = 0.01']),
  rule('shifted: share difference', ['identity/thresholds.ts', 'shareDifference: 0.05', 'shareDifference: 0']),
  rule('shifted: share ratio', [
    'identity/detect-changes.ts',
    "if (after >= before * (1 + shareRatio)) return 'grew'",
    "if (after >= before * (1 + 0 * shareRatio)) return 'grew'",
  ]),
  rule('shifted: standard errors', [
    'identity/detect-changes.ts',
    '|| Math.abs(shareDifferenceZ(then, now)) <= shareZ',
    '|| shareZ < 0',
  ]),
  rule('another fit: centroids settle', [
    'identity/recentre.ts',
    'sphericalKMeans(points, pickRows(centroidsOf(points, assignments, centroids).centroids, present))',
    '{ centroids: pickRows(centroidsOf(points, assignments, centroids).centroids, present), assignments: assignments.map((cluster) => present.indexOf(cluster)) }',
  ]),
  rule('another fit: scattered clusters lose their centroid', [
    'identity/recentre.ts',
    '>= keptJaccard)',
    '>= 0 * keptJaccard)',
  ]),
  // Parts and representatives.
  rule('parts', ['partition/parts-of.ts', 'APART = 0.45', 'APART = -2']),
  rule('parts: eight starts', ['partition/parts-of.ts', 'STARTS = 8', 'STARTS = 1']),
  rule('parts: apart', ['partition/parts-of.ts', 'APART = 0.45', 'APART = 2']),
  rule('parts: least size', ['partition/parts-of.ts', 'Math.max(LEAST_TRACES, LEAST_SHARE * members.length)', '1']),
  rule('representatives: the second is the most unlike', [
    'choose-representatives.ts',
    'chosen.length === 1 ? 0 : RELEVANCE',
    'RELEVANCE',
  ]),
  rule('representatives: unlike those before', ['choose-representatives.ts', 'RELEVANCE = 0.7', 'RELEVANCE = 1']),
  rule('representatives: nearest half', [
    'choose-representatives.ts',
    'Math.min(Math.ceil(size / 2), POOL / parts)',
    'POOL / parts',
  ]),
  rule('reach', ['assign-new.ts', 'OUTSIDE = 0.02', 'OUTSIDE = 0']),
  // Failures.
  rule('failures: significance', ['evaluate-failures.ts', 'return p <= significance', 'return p <= 1 + significance']),
  rule('failures: odds', ['evaluate-failures.ts', 'if (odds < oddsRatio * restOdds) return false', '']),
  rule('failures: difference', ['evaluate-failures.ts', 'difference: 0.02', 'difference: 0']),
  // Map.
  rule('map: clusters before points', ['map/map-scatter.ts', 'WITHIN = 0.2', 'WITHIN = 1']),
  rule(
    'map: last directions stay',
    [
      'map/lay-out-map.ts',
      'if (kept !== null && stillShows',
      'if (kept !== null && !comparable(previous) && stillShows',
    ],
    [
      'map/lay-out-map.ts',
      'function stillShows(',
      'const comparable = (previous: PreviousMap | null) => previous?.comparable === true\nfunction stillShows(',
    ],
  ),
  rule('map: until others show more', ['map/lay-out-map.ts', 'GOOD_ENOUGH = 0.8', 'GOOD_ENOUGH = 0']),
  rule('map: turned', ['map/lay-out-map.ts', 'kept === null ? directions :', 'kept !== undefined ? directions :']),
  rule('map: carried to another fit', [
    'map/lay-out-map.ts',
    'return carryFrame(points, frame, indexes)',
    'return indexes.length < 0 ? carryFrame(points, frame, indexes) : null',
  ]),
  // Names.
  rule('names: words of requests', ['naming/stop-words.ts', '[REQUEST_WORDS], ', '']),
  rule('names: days and months', ['naming/stop-words.ts', ', DATE_WORDS]', ']']),
  rule('names: pairs of words', [
    'naming/term-counts.ts',
    'if (nextStem !== stem) this',
    'if (nextStem === null) this',
  ]),
  rule('names: weight of pairs', ['naming/rank-terms.ts', 'PHRASE_WEIGHT = 1.5', 'PHRASE_WEIGHT = 1']),
  rule('names: later messages weigh less', ['naming/term-counts.ts', 'LATER = 0.5', 'LATER = 1']),
  rule('names: share of the texts', [
    'naming/rank-terms.ts',
    'const score = share * Math.log',
    'const score = Math.log',
  ]),
  rule('names: ratio to the others', [
    'naming/rank-terms.ts',
    'share * Math.log((share + UNSEEN) / (others + UNSEEN))',
    'share',
  ]),
  rule('names: unseen', ['naming/rank-terms.ts', 'UNSEEN = 0.02', 'UNSEEN = 1e-6']),
  rule('names: in two texts', ['naming/rank-terms.ts', 'LEAST_TEXTS = 2', 'LEAST_TEXTS = 1']),
  rule('names: kept', [
    'naming/name-clusters.ts',
    'fixed: keptLabel(sample.previous, ranked)',
    'fixed: keptLabel(null, ranked)',
  ]),
  rule('names: not a former one of another', [
    'naming/name-clusters.ts',
    '(!formerLabels.has(label) || label === samples[cluster]!.previous?.label)',
    '(formerLabels.size >= 0)',
  ]),
  rule('names: a term in one label', [
    'naming/name-clusters.ts',
    'all.filter(({ text }) => !usedTerms.has(text))',
    'all.filter(() => usedTerms.size >= 0)',
  ]),
  rule('names: second term only if good', [
    'naming/name-clusters.ts',
    'second.score >= SECOND_SCORE * first.score',
    'second.score > -1',
  ]),
  rule('names: no shared word among keywords', [
    'naming/rank-terms.ts',
    'if (term.stems.some((stem) => taken.some((other) => other.includes(stem) || stem.includes(other)))) continue',
    '',
  ]),
  rule('names: no part of a word among keywords', [
    'naming/rank-terms.ts',
    'other.includes(stem) || stem.includes(other)',
    'other === stem',
  ]),
  rule('names: phrases across stop words', ['naming/readable-words.ts', 'REACH = 2', 'REACH = 0']),
  rule('names: codes', ['naming/readable-words.ts', '|| isCode(chunk, shouted)', '']),
  rule('names: hexadecimal', ['naming/readable-words.ts', '!HEXADECIMAL.test(word) && ', '']),
  rule('names: unpronounceable', ['naming/readable-words.ts', ' && !UNPRONOUNCEABLE.test(word)', '']),
  rule('names: repeated letters', ['naming/readable-words.ts', ' && !REPEATED.test(word)', '']),
  rule('persons', [
    'naming/personal-words.ts',
    '  return (word) => {',
    '  return (word) => {\n    if (word !== null) return false',
  ]),
  rule('persons: introductions', ['naming/count-writing.ts', '[NAME_IS, CAPITAL_NAME]', '([] as RegExp[])']),
  rule('persons: capitals', [
    'naming/personal-words.ts',
    'introduced > small || (capital > small && (isKnown || !spread.has(word)))',
    'introduced > small || (isKnown && capital > 1e9)',
  ]),
  rule('persons: spread words are products', [
    'naming/personal-words.ts',
    '(isKnown || !spread.has(word))',
    '(isKnown || !spread.has(word) || capital > 0)',
  ]),
  rule('persons: least traces of a product', ['naming/personal-words.ts', 'LEAST_TRACES = 20', 'LEAST_TRACES = 1']),
  rule('persons: addresses', [
    'naming/count-writing.ts',
    'beginning.replace(ADDRESS, (address) => addAddress(address, writing))',
    'beginning.replace(ADDRESS, (address) => addAddress(address, writing) && address)',
  ]),
  rule('persons: titles', [
    'naming/count-writing.ts',
    'return telling.length < TITLE_WORDS || capitals < TITLE_SHARE * telling.length',
    'return capitals >= 0',
  ]),
  rule('persons: German', [
    'naming/count-writing.ts',
    '|| words.some(({ lower }) => GERMAN.has(lower))',
    '|| words.length < 0',
  ]),
]
