"""Programs in TypeScript: results, console, errors with their place."""

from support.case import SharedServerCase


class Results(SharedServerCase):
    def test_values(self):
        for code, value in (("1 + 1", 2), ("'text'", "text"), ("[1, 'two', null]", [1, "two", None]),
                            ("({a: {b: [true]}})", {"a": {"b": [True]}}), ("null", None), ("0", 0), ("''", ""),
                            ("false", False), ("new Date(0)", "1970-01-01T00:00:00.000Z")):
            with self.subTest(code):
                answer = self.succeed(self.typescript(f"return {code}"))
                self.assertEqual(answer.result, value)

    def test_no_return_is_no_result(self):
        self.assertNotIn("result", self.succeed(self.typescript("const x = 1")).structured)

    def test_values_that_json_does_not_know(self):
        for code in ("10n ** 20n", "new Map([['key', 1]])", "new Set([1])", "NaN", "Symbol('s')", "() => 1",
                     "(() => { const ring: any = {}; ring.self = ring; return ring })()"):
            with self.subTest(code):
                # A value or a clear error, but an answer in order.
                answer = self.typescript(f"return {code}")
                if answer.is_error:
                    self.assertTrue(answer.error)

    def test_a_big_integer_keeps_its_digits(self):
        answer = self.typescript("return 123456789012345678901234567890n")
        self.assertIn("123456789012345678901234567890", answer.text)

    def test_await_at_the_top(self):
        answer = self.succeed(self.typescript("const x = await Promise.resolve(20); return x + await 1"))
        self.assertEqual(answer.result, 21)

    def test_a_returned_promise_is_awaited(self):
        self.assertEqual(self.succeed(self.typescript("return Promise.resolve('late')")).result, "late")

    def test_workers(self):
        answer = self.succeed(self.typescript("""
            const source = URL.createObjectURL(new Blob(['onmessage = (e) => postMessage(e.data * 2)'], {type: 'text/javascript'}));
            return await Promise.all([1, 2, 3].map((n) => new Promise((resolve) => {
              const worker = new Worker(source, {type: 'module'});
              worker.onmessage = (e) => { worker.terminate(); resolve(e.data) };
              worker.postMessage(n);
            })));
        """))
        self.assertEqual(answer.result, [2, 4, 6])
        self.refuse(self.typescript("for (;;) new Worker('data:text/javascript,', {type: 'module'})"), "a worker needs 128 MiB")

    def test_types(self):
        answer = self.succeed(self.typescript("""
            interface Point { x: number; y?: number }
            type Pair<T> = [T, T];
            enum Colour { Red = 1, Green }
            class Box<T> { constructor(private readonly value: T) {} get(): T { return this.value } }
            const points: Point[] = [{x: 1}, {x: 2, y: 3}];
            const pair = [points[0].x, points[1].x] as Pair<number>;
            function total<T extends Point>(all: readonly T[]): number { return all.reduce((sum, p) => sum + p.x, 0) }
            return {pair, total: total(points), colour: Colour.Green, boxed: new Box<string>('b').get(), y: points[0]?.y ?? 0}
        """))
        self.assertEqual(answer.result, {"pair": [1, 2], "total": 3, "colour": 2, "boxed": "b", "y": 0})

    def test_plain_javascript(self):
        answer = self.succeed(self.typescript("var f = function (x) { return /a+/.exec(x)[0] }; return f('baab')"))
        self.assertEqual(answer.result, "aa")

    def test_comment_at_the_end(self):
        self.assertEqual(self.succeed(self.typescript("return 5 // five")).result, 5)

    def test_code_that_would_close_a_wrapper(self):
        self.refuse(self.typescript("return 1 }); (async () => { return 7"))

    def test_work_after_the_return_belongs_to_the_run(self):
        answer = self.succeed(self.typescript("setTimeout(() => console.log('later'), 50); return 'done'"))
        self.assertEqual((answer.result, answer.output), ("done", "later\n"))


class Console(SharedServerCase):
    def test_lines_in_order(self):
        answer = self.succeed(self.typescript("console.log('one'); console.info('two'); console.log('three', 3)"))
        self.assertEqual(answer.output.strip().split("\n"), ["one", "two", "three 3"])

    def test_objects_are_readable(self):
        output = self.succeed(self.typescript("console.log({name: 'x', list: [1, 2]})")).output
        for word in ("name", "x", "list", "1", "2"):
            self.assertIn(word, output)

    def test_errors_and_warnings_are_not_lost(self):
        answer = self.succeed(self.typescript("console.error('bad news'); console.warn('be careful')"))
        self.assertIn("bad news", answer.text)
        self.assertIn("be careful", answer.text)

    def test_unicode(self):
        self.assertIn("\u65e5\u672c \U0001f600 \u00e9", self.succeed(
            self.typescript("console.log('\u65e5\u672c \U0001f600 \u00e9')")).output)

    def test_output_before_an_error_is_kept(self):
        answer = self.typescript("console.log('so far'); throw new Error('no further')")
        self.refuse(answer, "no further")
        self.assertIn("so far", answer.output)

    def test_text_block_tells_output_and_result(self):
        answer = self.succeed(self.typescript("console.log('printed'); return {returned: 'value'}"))
        self.assertIn("printed", answer.text)
        self.assertIn("returned", answer.text)


class Errors(SharedServerCase):
    # What no user has written.
    OUR_FRAMES = ("file:///", "ext:", "/tmp/", "guest.ts", "runtime.ts", "bootstrap")

    def error(self, code):
        error = self.refuse(self.typescript(code))
        for frame in self.OUR_FRAMES:
            self.assertNotIn(frame, error)
        return error

    def test_class_message_line_and_column(self):
        error = self.error("const x = 1;\n\n  throw new TypeError('boom')")
        self.assertIn("TypeError", error)
        self.assertIn("boom", error)
        self.assert_position(error, 3, 9)

    def test_error_of_the_runtime(self):
        error = self.error("const x: any = null;\nreturn x.length")
        self.assertIn("TypeError", error)
        self.assert_position(error, 2, 10)

    def test_error_in_a_function_after_types(self):
        error = self.error("interface A {\n  x: number\n}\nfunction f(a: A): never {\n  throw new RangeError('deep')\n}\n"
                           "f({x: 1})")
        self.assertIn("RangeError", error)
        self.assert_position(error, 5, 9)

    def test_unknown_name(self):
        error = self.error("return noSuchName")
        self.assertIn("noSuchName", error)
        self.assertRegex(error, r"\bline 1\b|(?<!\d)1:\d")

    def test_syntax_error(self):
        error = self.error("const ok = 1;\nconst = 5;")
        self.assertRegex(error, r"\bline 2\b|(?<!\d)2:\d")

    def test_unfinished_code(self):
        for code in ("if (true) {", "const s = 'open", "return `open", "f(1, 2", "/* open"):
            with self.subTest(code):
                self.error(code)

    def test_thrown_value_that_is_no_error(self):
        self.assertIn("just text", self.error("throw 'just text'"))
        self.assertIn("4711", self.error("throw {code: 4711}"))
        self.error("throw null")
        self.error("throw undefined")

    def test_rejection_nobody_handles_fails_the_run(self):
        error = self.error("const a = 1;\nPromise.reject(new Error('nobody cares'));"
                           "await new Promise(d => setTimeout(d, 50)); return 1")
        self.assertIn("Error: nobody cares", error)
        self.assert_position(error, 2, 16)

    def test_exception_in_a_timer_fails_the_run(self):
        error = self.error("const a = 1;\nsetTimeout(() => { throw new Error('in a timer') }, 1);"
                           "await new Promise(d => setTimeout(d, 200)); return 1")
        self.assertIn("Error: in a timer", error)
        self.assert_position(error, 2, 26)

    def test_promise_that_never_resolves(self):
        self.refuse(self.typescript("await new Promise(() => {})", timeoutMs=1000))

    def test_guest_that_exits(self):
        self.refuse(self.typescript("Deno.exit(3)"), "exit")
        self.succeed(self.typescript("console.log('done'); Deno.exit(0)"))

    def test_error_with_a_cause(self):
        error = self.error("throw new Error('outer', {cause: new Error('inner')})")
        self.assertIn("outer", error)
