#include "config/command_texts.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace config_command_texts_test {

using strings = std::vector<std::string>;

config::command_texts texts(const strings& words) {
  return config::texts_among(words, {"/home/u", "/home/u/p", {{"PATH", "/usr/bin"}, {"SET", "d"}}});
}
bool has(const strings& words, const std::string& word) {
  auto all = texts(words).words;
  return std::find(all.begin(), all.end(), word) != all.end();
}
std::string doubt(const std::string& text) { return texts({"bash", "-c", text}).doubt; }

TEST(command_texts, of_a_shell_wherever_it_stands) {
  for (auto& line :
       {strings{"sh", "-c", "cd 'a b'/c"}, strings{"bash", "-o", "pipefail", "-euc", "--", "cd 'a b'/c"},
        strings{"flock", "/tmp/l", "sh", "-c", "cd 'a b'/c"}, strings{"script", "-qec", "cd 'a b'/c", "/dev/null"},
        strings{"su", "-c", "cd 'a b'/c && x", "me"}, strings{"wsl.exe", "bash", "-c", "cd 'a b'/c"},
        strings{"npx", "-c", "cd 'a b'/c && x"}, strings{"npx", "concurrently", "cd 'a b'/c && x"},
        strings{"npx", "supergateway", "--stdio", "sh -c 'cd \"a b\"/c && uv run x'"},
        strings{"bash", "-c", "bash -lc \"cd \\\"a b\\\"/c && x\""}, strings{"sh", "-c", "x $(cd a\\ b/c && y)"},
        strings{"sh", "-c", "x `cd a\\ b/c`"}, strings{"sh", "-c", "{ cd 'a b'/c; x; }"},
        strings{"sh", "-c", "if true; then cd 'a b'/c; fi"}, strings{"sh", "-c", "D='a b'; cd $D/c; cd \"${D}/c\""}})
    EXPECT_TRUE(has(line, "a b/c")) << testing::PrintToString(line);
  for (auto* text : {"cd \"$PWD/d\"", "cd ${PWD}/d", "cd $(pwd)/d", "cd `pwd`/d", "cd ~+/d"})
    EXPECT_TRUE(has({"sh", "-c", text}, "$PWD/d")) << text;
  EXPECT_TRUE(has({"sh", "-c", "cd \"$(git rev-parse --show-toplevel)\"/d"}, "/home/u/p/d"));
  EXPECT_TRUE(has({"sh", "-c", "x ~/d ${HOME}/d $SET/d < in"}, "/home/u/d"));
  EXPECT_TRUE(has({"sh", "-c", "x < in"}, "in") && has({"sh", "-c", "x $SET/e"}, "d/e"));
}

TEST(command_texts, what_decides_what_is_started_has_to_be_known) {
  for (auto* text : {"cd $X && npx x",
                     "cd \"$(dirname $X)\"",
                     "$X/bin/python s.py",
                     "exec \"$NODE\" s.js",
                     "node $D/s.js",
                     "node serv*.js",
                     "node dist/{a,b}.js",
                     "node $'s\\x2ejs'",
                     "eval \"$X\"",
                     "eval \"$(./env)\"",
                     ". $X/env.sh",
                     "source \"$(x)\"",
                     "sh <<E\nnpx x\nE\n",
                     "curl -s x | sh",
                     "npx -y $PACKAGE",
                     "uv --directory $D run s.py",
                     "PATH=$X:$PATH s",
                     "export PATH=\"$(npm bin):$PATH\"; s",
                     "env -C $D npx x",
                     "bash -c \"cd $D && npx x\"",
                     "make -C $D run",
                     "D=a; test x && D=b; node $D/s.js",
                     "for f in *; do node $f; done",
                     "uvx --from $D x",
                     "echo s.js | xargs node",
                     "cd ~other/d && npx x",
                     "npm run $X",
                     "echo 'open",
                     "f() { cd $X; npx y; }; f",
                     "true && (cd $X; npx y) | cat",
                     "NODE_OPTIONS=$X node s.js",
                     "timeout 5 node $X"})
    EXPECT_NE(doubt(text), "") << text;
  for (auto* text : {"python3 \"$1\"/s.py",
                     "exec $1\\/x",
                     "exec \"$1\"'/x'",
                     "exec \"$@\"/x",
                     "cd \"$(dirname \"$1\")\" && ./x",
                     "eval \"$1\"",
                     "eval \"$@\"",
                     "eval sh s\\*/x",
                     "sh -c \"$1\"",
                     "sh $1",
                     "D='s*'; sh $D/x",
                     "C='./s*/x'; exec $C",
                     "D=a; D+=b; node $D/s.js",
                     "D=a; f() { node $D/s.js; }; D=b; f",
                     "D=a; while IFS= read -r D; do node $D; done < list",
                     "D=a; printf -v D %s b; node $D/s.js",
                     "D=a; unset D; node ./b$D/s.js",
                     "D=a; : ${D:=b}; node $D/s.js",
                     "true && D=a; node ./b$D/s.js",
                     "D=a & node ./b$D/s.js",
                     "(D=a; x); node ./b$D/s.js",
                     "if x; then D=a; fi; node $D/s.js",
                     "D=a node $D/s.js",
                     "D=; node ${D:-b}/s.js",
                     "IFS=b; D=abc; node $D",
                     "cat sub/*.py | python3 -",
                     "x s/s.py | exec python3 /dev/stdin",
                     "cat x.js | node -",
                     "cat x.js | node",
                     "cat x | (y; sh)",
                     "cat x | echo $(sh)",
                     "exec < \"$(ls sub/*.sh)\"; sh",
                     "exec 3< $F; sh /dev/fd/3",
                     "find s -name '*.py' -exec python3 {} \\;",
                     "ls s/*.py | xargs -I{} python3 {}",
                     "xargs -a list python3",
                     "run-parts s",
                     "timeout 5 find s -exec node {} +",
                     "trap \"node $(x)/s.js\" EXIT",
                     "alias n=\"node $(x)/s.js\"\nn",
                     "mysrv s*/x",
                     "flock l ./s*/x",
                     "timeout 5 ./s*/x",
                     "timeout 5 /usr/bin/node s*/x",
                     "./+(sub)/x",
                     "./!(sub)/x",
                     "node {'a b',c}/s.js",
                     "set -- s*/x; exec \"$1\"",
                     "f() { exec \"$1\"; }; f s*/x",
                     "sh -c 'exec \"$1\"' sh s*/x",
                     "D=a; sh -c 'node $D/s.js'",
                     "perl -I lib s*/x.pl",
                     "deno run -c cfg s*/x.ts",
                     "hash -p ./s*/x foo; foo",
                     "cp s*/x /tmp/y; sh /tmp/y",
                     "node s.js\r",
                     "env -S 'node\\_s.js'",
                     "./x s/$OLDPWD $(y)",
                     "echo $(( $(./s*/x) + 1 ))",
                     ": ${P:=`./s*/x`}",
                     "export P=\"${P-$(./s*/x)}\"",
                     "V=$(case $(uname) in L) ./s*/x;; esac)",
                     "D=a; . ./env.sh; cd \"$D\" && ./x",
                     ". ./env.sh; exec \"$SET/x\"",
                     "ls s | { read -r NODE_OPTIONS; export NODE_OPTIONS; node i.js; }",
                     "for PATH in $PWD/s*; do x; done",
                     "printf -v PATH %s s*; x",
                     "for f in *; do test -v \"$f\"; done",
                     "printf x >> /tmp/g.sh; sh /tmp/g.sh",
                     "alias echo=sh\necho s*/x",
                     "builtin trap \"./s*/x\" EXIT",
                     "cd $\"sub\"; ./x",
                     "exec linux64 \"$ROOT/sub/x\"",
                     "chrt -o 0 ./sub${X}/x",
                     "awk -f \"$ROOT/a.awk\"",
                     "cargo run",
                     "cd app && ./gradlew run",
                     "BASH_ENV='$D/rc' bash s.sh",
                     "git -c core.pager=\"$(x)\" log",
                     "git grep -O./s*/x hello"})
    EXPECT_NE(doubt(text), "") << text;
  for (auto* text : {"exec python3 \\\n \"dist/$(ls -t dist | head -1)\"",
                     "exec sh \\\n  \"dist/$(ls)\"",
                     ". \\\n \"v1/$(ls v1)\"",
                     "cd \\\n $(ls)",
                     "exec \\\n\\\n \"dist/$(ls)\"",
                     "node $\\\nX/s.js",
                     "D=a; DA=b; node $D\\\nA/s.js",
                     "sh <\\\n<E\nnpx x\nE\n",
                     "npx -y dotenv-cli -- dist/$(ls -t dist | head -1)",
                     "mise exec node@20 -- dist/$(ls)",
                     "mise exec -- $D/x",
                     "npx --yes cross-env A=1 dist/$(ls)",
                     "npx -y nodemon --exec \"dist/$(ls)\"",
                     "npx pm2-runtime start $(ls dist/*.js)",
                     "uv run find dist -name '*.sh' -exec sh {} ';'",
                     "docker compose -f \"dist/$(ls)\" run x",
                     "docker compose --project-directory dist/* up",
                     "docker-compose -f \"dist/$(ls)\" run x",
                     "npx tsc && node dist/index.js",
                     "pnpm exec tsc -b >&2 && node dist/index.js",
                     "pnpm tsc",
                     "uv run -- cargo run",
                     "mise exec rust@1 -- cargo run",
                     "conda run -n x cargo run",
                     "go build -o bin/s . && exec bin/s",
                     "dotnet publish && ./x",
                     "nix develop -c node x -p 8080",
                     "$(nix build --no-link .)/bin/x",
                     "cmake --build build >&2 && exec ./build/server",
                     "make -s >&2 && exec ./server",
                     "npm run build && node dist/index.js",
                     "npm run build && npm start",
                     "mycodegen && node dist/index.js",
                     "mycodegen; exec ./server",
                     "npx mycodegen && uv run server.py",
                     "mywrapper node dist/index.js",
                     "/opt/x src && node dist/index.js",
                     "./build.sh && node dist/index.js",
                     "timeout 5 mycodegen; . ./env.sh",
                     "while sleep 1; do node s.js; mycodegen; done",
                     "f() { mycodegen; }; f; sh s.sh",
                     "mycodegen && sh -c 'exec node s.js'",
                     "npx cross-env A=1 mycodegen && node dist/index.js",
                     "npx supergateway --stdio 'mycodegen && node dist/index.js'",
                     "sh -c 'mycodegen' ; python3 -m pkg"})
    EXPECT_NE(doubt(text), "") << text;
  for (auto& line : {strings{"bash", "-euo", "pipefail", "-c", "./s*/x"},
                     strings{"bash", "-ce", "./s*/x"},
                     strings{"sh", "-cx", "./s*/x"},
                     strings{"fish", "-c", "set D sub; node $D/s.js"},
                     strings{"zsh", "-c", "D=s/x; node $D:h/s.js"},
                     strings{"find", "s", "-exec", "python3", "{}", ";"},
                     strings{"watch", "./s*/x"},
                     strings{"script", "--command=./s*/x"},
                     strings{"script", "-qc./s*/x"},
                     strings{"su", "root", "-c./s*/x"},
                     strings{"nix-shell", "-p", "x", "--run", "./s*/x"},
                     strings{"timeout", "5", "cargo", "run"},
                     strings{"nix", "run", "."},
                     strings{"dotnet", "run"},
                     strings{"env", "BASH_ENV=$D/rc", "bash", "s.sh"},
                     strings{"ssh", "-o", "ProxyCommand=sh -c ./s*/x", "h"},
                     strings{"env", "-S", "python3\\_s/x.py"},
                     strings{"make", "--eval=$(info $(shell ./s*/x))"},
                     strings{"run-parts", "s"},
                     strings{"mise", "exec", "--", "cargo", "run"},
                     strings{"uv", "run", "cargo", "run"},
                     strings{"poetry", "run", "maturin", "develop"},
                     strings{"corepack", "pnpm", "tsc"},
                     strings{"direnv", "exec", ".", "cargo", "run"},
                     strings{"npx", "tsc-watch", "--onSuccess", "node dist/index.js"},
                     strings{"bazelisk", "run", "//x"},
                     strings{"npx", "nx", "run", "x"},
                     strings{"dune", "exec", "./x.exe"},
                     strings{"nix", "run", ".", "--", "--url", "http://x:1"},
                     strings{"nix", "run", "path:."},
                     strings{"nix", "run"},
                     strings{"nix", "develop", "-c", "node", "x", "-p", "8080"},
                     strings{"nix", "shell", ".", "-c", "m", "--host", "a:1"},
                     strings{"nix-shell", "--run", "node /x.js -p 80"},
                     strings{"go", "run", "./cmd/x"},
                     strings{"go", "run", "-race", "."},
                     strings{"go", "-C", "app", "build"},
                     strings{"su", "-", "someone", "-c", "node s.js"},
                     strings{"sudo", "-iu", "someone", "node", "s.js"},
                     strings{"sh", "-c", "sh -c 'node $SET/s.js'; export SET=x"}})
    EXPECT_NE(texts(line).doubt, "") << testing::PrintToString(line);
  EXPECT_NE(texts({"flock", "l", "sh", "-c", "cd $X && npx x"}).doubt, "");
  EXPECT_NE(texts({"npx", "x", "--stdio", "cd $X && npx y"}).doubt, "");
  EXPECT_EQ(doubt("cd $X"), "'cd' names a file or folder that only the shell knows");
}

TEST(command_texts, what_a_known_program_is_only_told_leaves_no_doubt) {
  for (auto* text : {"npx -y pkg ${VAR}",
                     "npx -y pkg --token $TOKEN",
                     "uvx pkg --db \"$DB_URL\" $@",
                     "node /abs/server.js $ARG",
                     "cd X && exec node server.js",
                     "TOKEN=$(cat ~/.token) npx -y pkg",
                     "export A=$(op read 'op://x/y'); npx -y p",
                     "npx -y mcp-remote https://x/sse --header \"Authorization: Bearer $TOKEN\"",
                     "docker run --rm -i -e KEY=$KEY -v $X:/x image",
                     "exec \"$@\"",
                     "node s.js \"$@\" 2>&1 | tee $LOG",
                     ". ~/.nvm/nvm.sh; nvm use 20; npx -y pkg",
                     "eval \"$(fnm env)\" && npx -y pkg",
                     "eval \"$(/opt/homebrew/bin/brew shellenv)\"; uvx pkg",
                     "PATH=$HOME/bin:$PATH exec mysrv",
                     "export PATH=\"$HOME/.local/bin:$PATH\"; export PATH=/x:$PATH; uvx pkg",
                     "uv run --directory /x s.py --key $KEY",
                     "[ -n \"$X\" ] && echo $X; npx -y pkg",
                     "D=/x; cd $D && node s.js",
                     "python3 -m mod $X",
                     "python -c 'x' $X",
                     "python3 s.py --glob *.txt",
                     "KEY=$KEY exec node /x.js",
                     "\"$(which node)\" s.js",
                     "cd \"$PWD/d\" && npx x",
                     "set -e; test -f .env && export $(cat .env | xargs); exec node s.js",
                     "npx --no-install pkg $X",
                     "# $X\nx",
                     "cmd --json '{\"a\": \"$X\"}'",
                     "npx -y pkg x[1]",
                     "git log $1 \"$@\"",
                     "f() { git push origin $(git branch --show-current); }; f",
                     "docker run -u $(id -u):$(id -g) -v \"$(pwd)\":/x image",
                     "trap 'kill 0' EXIT; npx -y pkg",
                     "A=/x && cd $A && node s.js",
                     "cat cfg | npx -y pkg",
                     "python3 -m mod < s.txt",
                     "find . -name x -exec rm {} \\;",
                     "exec sh \"$1\" x",
                     "pdftotext -layout \"$0\" -q -",
                     "aws codecommit credential-helper $@",
                     "git branch --merged | grep -v main | xargs git branch -d",
                     "git fetch && git rebase origin/$(git branch --show-current)",
                     "cd \"$CLAUDE_PROJECT_DIR\" && exec node dist/index.js",
                     "ssh host 'cd $APP && node *.js'",
                     "docker exec -i app sh -c 'cd /srv && exec python3 $APP/server.py'",
                     "kubectl exec -i p -- sh -c 'exec node $H/x.js'",
                     ". .env && mysrv --token $TOKEN",
                     "exec node s.js > log 2>&1",
                     "mysrv --dir $DATA/x",
                     "nix run nixpkgs#uv -- tool run x",
                     "dotnet s.dll",
                     "cd \"$1\" && exec \"$2\"",
                     "mysrv $X",
                     "sh -c 'exec node s.js \"$1\"' -- $X",
                     "echo $((1 + 2))",
                     "exec node \\\n  --no-warnings \\\n  dist/index.js",
                     "npm ci --silent && \\\n exec node server.js $X\\\n --a",
                     "cd && exec node server.js",
                     "npx -y pkg --token \"$(op read x)\" $X",
                     "docker compose -f c.yml run -e A=$A x",
                     "nix shell github:a/b nixpkgs#x -c m .",
                     "nix run --refresh github:a/b -- .",
                     "nix-shell -p nodejs --run 'node /x.js'",
                     "go run x.go .",
                     "go run example.com/x@latest .",
                     "make -s mcp",
                     "npm run -s mcp",
                     "uv sync && uv run server.py",
                     "source .venv/bin/activate && python server.py",
                     "command -v uv >/dev/null || exit 1; uv run server.py",
                     "pip install -r requirements.txt >&2 && python server.py",
                     "f() { node s.js; }; f",
                     "mysrv & npx -y pkg",
                     "npx -y supergateway --stdio 'node dist/index.js'",
                     "npx cross-env@7 A=1 node dist/index.js",
                     "/opt/x --port=1 && node dist/index.js",
                     "git pull -q; nohup node dist/index.js | tee log",
                     "sudo -u me node dist/index.js",
                     "bundle install --quiet && bundle exec ruby server.rb"})
    EXPECT_EQ(doubt(text), "") << text;
  for (auto& line : {strings{"node", "-e", "const x = `${y}`; if (x) { require(x) }"},
                     strings{"python3", "-c", "import x; x.y('$Z')"},
                     strings{"npx", "-y", "pkg", "--header", "Authorization: Bearer ${TOKEN}"},
                     strings{"docker", "run", "-e", "A=$B c", "image"}, strings{"x", "Use $X to run it; node is fine"},
                     strings{"x", R"({"command": "cd $X && npx y"})"}, strings{"cmd", "/c", "npx", "-y", "pkg"},
                     strings{"psql", "-c", "select * from $x"}})
    EXPECT_EQ(texts(line).doubt, "") << testing::PrintToString(line);
}

TEST(command_texts, go_home_without_a_name) {
  for (auto* text :
       {"cd && node s.js", "cd; node s.js", "cd -P && x", "if cd; then node s.js; fi", "A=1; command cd && x",
        "systemd-run --user node s.js", "exec sudo -iu u node s.js", "su - u -c 'node s.js'"})
    EXPECT_TRUE(has({"sh", "-c", text}, "/home/u")) << text;
  for (auto& line : {strings{"systemd-run", "--user", "--pipe", "node", "s.js"}, strings{"su", "-l", "u", "-c", "x y"},
                     strings{"runuser", "-l", "u", "-c", "x y"}, strings{"sudo", "--login", "-u", "u", "x"}})
    EXPECT_TRUE(has(line, "/home/u")) << testing::PrintToString(line);
  for (auto* text : {"cd d && x", "sudo -u u x", "su u -c 'x y'", "echo cd", "cd \"$1\""})
    EXPECT_FALSE(has({"sh", "-c", text}, "/home/u")) << text;
  EXPECT_NE(config::texts_among({"sh", "-c", "cd && x"}, {}).doubt, "") << "it is not known where";
}

TEST(command_texts, come_to_an_end) {
  std::string deep, wide;
  for (int i = 0; i < 5'000; ++i) {
    deep += "$(";
    wide += "a ";
  }
  EXPECT_NE(doubt(deep), "");
  EXPECT_NE(doubt(wide), "") << "more words than are looked at";
  for (auto* odd : {"",   "$",  "${", "${}", "`", "'",  "\"", "\\", "<",   ">",
                    "<(", "a=", "$'", "((",  "~", "&&", "[",  "{",  "$((", "<<<"})
    texts({"sh", "-c", odd});
}

} // namespace config_command_texts_test
