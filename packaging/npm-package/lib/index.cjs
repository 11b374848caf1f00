"use strict";

module.exports = { ...require("./executor.cjs"), ...require("./errors.cjs") };
