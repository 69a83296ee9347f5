"""
Sensitivity to the class prior
==============================

Three metrics of the 300 best of 1,797 images, with 95% bands, at every class prior up to its 95%
upper limit. Precision depends on it most. Recall falls only above 0.3, where nearly all of these
images are taken as positive. The points are the true values.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import seaborn as sns
from sklearn.datasets import load_digits
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_predict

import pu_accessor  # registers df.pu

images, digit = load_digits(return_X_y=True)
high, model = digit >= 7, LogisticRegression(max_iter=1000)
known = high & (np.random.default_rng(5).random(high.size) < 1 / 3)
score = cross_val_predict(model, images[:, 32:] / 16, known, cv=5, method="decision_function")
df = pd.DataFrame({"score": score, "label": np.where(known, True, None)})
beta = high[~known].mean()  # an input; here the truth is at hand

# %%
figure, ax = plt.subplots(figsize=(5, 4), layout="constrained")
betas = np.linspace(0, df.pu.estimate_beta()["upper"].item(), 26)
above = np.argsort(np.argsort(-score)) < 300
truth = {"precision": high[above].mean(), "recall": above[high].mean(), "FPR": above[~high].mean()}
for (name, true), color in zip(truth.items(), sns.color_palette("colorblind", 3), strict=True):
    found = df.pu.metric(name.lower(), betas, at=300)
    ax.plot(betas, found["estimate"], color=color)
    ax.fill_between(betas, found["lower"], found["upper"], color=color, alpha=0.25)
    label = "truth" if name == "recall" else None
    ax.plot(beta, true, "o", color=plt.rcParams["text.color"], label=label)
    ax.annotate(name, (betas[-1], found["estimate"].iloc[-1]), (4, -4), textcoords="offset points")
ax.set(xlabel="class prior β, up to its 95% upper limit", ylabel="metric of the best 300")
ax.legend(loc="upper left", frameon=False)
ax.set_title("Precision grows with β;\nrecall hardly changes", loc="left")
sns.despine()
plt.show()
