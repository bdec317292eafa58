// A page's script with all it imports, as one file for a browser.
import { build } from "esbuild";

const { contents } = JSON.parse(process.argv[2]);
const built = await build({
  stdin: { contents, resolveDir: process.cwd() },
  bundle: true, write: false, format: "iife", define: { "process.env.NODE_ENV": '"production"' },
});
console.log(JSON.stringify({ script: built.outputFiles[0].text }));
