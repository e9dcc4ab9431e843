import tailwindcss from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { defineConfig, type HtmlTagDescriptor, type Plugin } from 'vite'

/** Browsers with `light-dark()`, which every colour here is made of. */
const BROWSERS = ['chrome123', 'firefox120', 'safari17.5']

/**
 * Small modules of several screens come as one file: by themselves they were a dozen files of a few hundred bytes, each of which takes the browser as long as one
 * of a hundred kilobytes. Neither what draws charts nor what the first script needs.
 */
const SHARED =
  /[\\/](lucide-react|dashboard[\\/]src[\\/](lib|api[\\/](?!early-)|ui[\\/](?!series-chart|chart-|sparkline|json-)))/

/** The page itself names what its first script loads: it comes at the same time as that. */
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
      return [...files].map((file): HtmlTagDescriptor => ({
        tag: 'link',
        attrs: { rel: 'modulepreload', crossorigin: true, href: `/${file}` },
        injectTo: 'head',
      }))
    },
  },
}

export default defineConfig({
  plugins: [react(), tailwindcss(), preloadMain],
  build: {
    target: BROWSERS,
    cssTarget: BROWSERS,
    assetsInlineLimit: 0,
    reportCompressedSize: false,
    rolldownOptions: {
      output: {
        codeSplitting: {
          includeDependenciesRecursively: false,
          groups: [{ name: 'shared', test: SHARED, minShareCount: 2 }],
        },
      },
    },
  },
  // `npx vite packages/dashboard` beside a running service, for work on the screens.
  server: { proxy: { '/v1': { target: 'http://127.0.0.1:4319' } } },
})
