import tailwindcss from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { defineConfig, type HtmlTagDescriptor, type Plugin } from 'vite'
import { OLDEST_BROWSERS, OLDEST_BROWSERS_TEXT } from './src/oldest-browsers.ts'

const BROWSERS = Object.entries(OLDEST_BROWSERS).map(([name, version]) => `${name.toLowerCase()}${version}`)

/**
 * Modules that several screens share are one file, and their libraries another. Alone they would be two dozen files of
 * a few hundred bytes, each of which takes a browser as long as one of 100 KB. Modules that only charts or the first
 * script need stay apart.
 */
const SHARED =
  /[\\/](lucide-react|dashboard[\\/]src[\\/](lib|api[\\/](?!early-)|ui[\\/](?!series-chart|chart-|sparkline|json-)))/
const LIBRARIES = /[\\/]node_modules[\\/](?!lucide-react|uplot)/

/**
 * Refuses files that import each other in a cycle. The first script loads two at once, so the order in which they run
 * would depend on which arrives first, and a page would sometimes stay empty.
 */
const noCircles: Plugin = {
  name: 'no-circles',
  generateBundle(_options, bundle) {
    const ended = new Set<string>()
    const follow = (file: string, above: readonly string[]) => {
      if (above.includes(file)) this.error(`files import each other in a cycle: ${[...above, file].join(' > ')}`)
      const chunk = bundle[file]
      if (chunk?.type !== 'chunk' || ended.has(file)) return
      for (const imported of chunk.imports) follow(imported, [...above, file])
      ended.add(file)
    }
    for (const file of Object.keys(bundle)) follow(file, [])
  },
}

const nameOldestBrowsers: Plugin = {
  name: 'name-oldest-browsers',
  transformIndexHtml: (html) => html.replace('%OLDEST_BROWSERS%', OLDEST_BROWSERS_TEXT),
}

/** The page preloads its font, and all files that its first script imports. */
const preloadMain: Plugin = {
  name: 'preload-main',
  transformIndexHtml: {
    order: 'post',
    handler: (_html, { bundle = {} }) => {
      const files = new Set<string>()
      const add = (file: string) => {
        const chunk = bundle[file]
        if (chunk?.type !== 'chunk' || files.has(file)) return
        files.add(file)
        for (const imported of chunk.imports) add(imported)
      }
      const main = Object.values(bundle).find((file) => file.type === 'chunk' && file.name === 'main')
      if (main !== undefined) add(main.fileName)
      const preload = (attrs: Record<string, string | boolean>): HtmlTagDescriptor => ({
        tag: 'link',
        attrs: { ...attrs, crossorigin: true },
        injectTo: 'head',
      })
      const font = Object.keys(bundle).find((file) => file.endsWith('.woff2'))
      if (font === undefined) throw new Error('the bundle has no font')
      return [
        preload({ rel: 'preload', as: 'font', type: 'font/woff2', href: `/${font}` }),
        ...[...files].map((file) => preload({ rel: 'modulepreload', href: `/${file}` })),
      ]
    },
  },
}

export default defineConfig({
  plugins: [react(), tailwindcss(), nameOldestBrowsers, preloadMain, noCircles],
  build: {
    target: BROWSERS,
    cssTarget: BROWSERS,
    assetsInlineLimit: 0,
    reportCompressedSize: false,
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            { name: 'early', test: /[\\/](early-requests|first-rows|current-project)\.ts$/, priority: 3 },
            { name: 'libraries', test: LIBRARIES, minShareCount: 2, priority: 2 },
            { name: 'shared', test: SHARED, minShareCount: 2, priority: 1 },
          ],
        },
      },
    },
  },
  // For development: `npx vite packages/dashboard` beside a running service.
  server: { proxy: { '/v1': { target: 'http://127.0.0.1:4319' } } },
})
